//! The contract: what must hold for every variant. A new variant is tested by its row in the table.

mod chance;
mod encoding;
mod ends;
mod judgements;
mod junk;
mod moves;
mod notation;
mod record;
mod setups;
mod symmetry;
mod text;

/// Runs a check, generic over the variant, for every variant.
macro_rules! for_every_variant {
    ($($(#[$doc:meta])* $test:ident => $module:ident::$check:ident;)*) => {
        $($(#[$doc])* #[test] fn $test() {
            for &id in rules::VariantId::ALL {
                rules::dispatch!(id, V => $module::$check::<V>());
            }
        })*
    };
}

for_every_variant! {
    /// What is generated is accepted, as code and as text; nothing else is.
    legal_is_accepted => moves::legal_is_accepted;
    /// Playing and undoing leaves nothing behind.
    play_then_undo_changes_nothing => moves::play_then_undo_changes_nothing;
    /// The key kept while playing is the key of the board, and tells positions apart.
    incremental_key_is_fresh_key => moves::incremental_key_is_fresh_key;
    /// Counting and listing agree.
    count_is_length => moves::count_is_length;
    /// A win in one is found exactly where trying every move finds one.
    win_in_one_is_brute_force => moves::win_in_one_is_brute_force;
    /// FEN written and read is the same position.
    fen_round_trip => text::fen_round_trip;
    /// Moves written and read are the same moves in every notation of the variant, all texts different, and refusals
    /// help.
    notation_round_trip => notation::moves;
    /// Every format of positions is read as written, and recognised.
    position_format_round_trip => notation::positions;
    /// The drawn board is as wide on every line.
    drawing_is_aligned => text::drawing_is_aligned;
    /// Left and right are alike.
    mirrored_positions_have_mirrored_moves => symmetry::mirrored;
    /// Both players see the same game.
    turned_positions_have_turned_moves => symmetry::turned;
    /// Different moves have different tokens, all within the shape.
    tokens_tell_moves_apart => encoding::tokens_tell_moves_apart;
    /// In a variant with a table of actions every legal move has a number, and the number finds the move.
    actions_are_moves => encoding::actions_are_moves;
    /// Planes have the right length and sane values, and show every piece.
    planes_show_the_position => encoding::planes_show_the_position;
    /// Every game ends within the limit, in every preset, with a consistent outcome.
    every_game_ends => ends::every_game_ends;
    /// Occurrences are counted as comparing texts counts them.
    repetitions_are_counted => ends::repetitions_are_counted;
    /// Moves that end the game otherwise than by mate are found exactly where trying every move finds one.
    ends_in_one_are_brute_force => ends::ends_in_one_are_brute_force;
    /// What is judged of a game is what the rule set ends it by, at that ply, and the moves are those of the cycle.
    judgements_are_the_ends_of_games => judgements::judgements_are_the_ends_of_games;
    /// Every variant judges by its own rule set, and authorities have different names.
    authorities_are_named => judgements::authorities_are_named;
    /// The constants of the variant fit together.
    constants_fit => ends::constants_fit;
    /// Every choice of setups is a start position, and the names can be read back from it.
    setups_make_start_positions => setups::setups_make_start_positions;
    /// The record of a game is the game, as codes and as text, through a file and back.
    record_round_trip => record::record_round_trip;
    /// A replay shows each position and stops before an illegal move.
    replay_checks_every_move => record::replay_checks_every_move;
    /// Records that are not of this variant are refused, with the reason.
    foreign_records_are_refused => record::foreign_records_are_refused;
    /// The text of a rule set is read as it is written.
    rules_text_round_trip => record::rules_text_round_trip;
}
