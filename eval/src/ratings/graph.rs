//! Which players can be compared: players are nodes, played games are edges.

/// Groups of players connected by games, each in ascending order, by its first player.
pub(super) fn components(players: usize, met: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let both = met.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect::<Vec<_>>();
    let reach = Reach::new(players, &both);
    groups(players, |a, b| reach.from(a)[b])
}

/// For each player the number of its class: two players are in one class if each is reachable from the
/// other along "took points from". A maximum of the likelihood exists only within a class: between two
/// classes all points went one way.
pub(super) fn classes(players: usize, took_points: &[(usize, usize)]) -> Vec<usize> {
    let reach = Reach::new(players, took_points);
    let mut class = vec![0; players];
    let all: Vec<Vec<bool>> = (0..players).map(|player| reach.from(player)).collect();
    for (number, group) in groups(players, |a, b| all[a][b] && all[b][a]).iter().enumerate() {
        for &player in group {
            class[player] = number;
        }
    }
    class
}

fn groups(players: usize, together: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut done = vec![false; players];
    let mut groups = Vec::new();
    for first in 0..players {
        if done[first] {
            continue;
        }
        let group: Vec<usize> = (first..players).filter(|&other| other == first || together(first, other)).collect();
        group.iter().for_each(|&member| done[member] = true);
        groups.push(group);
    }
    groups
}

struct Reach {
    next: Vec<Vec<usize>>,
}

impl Reach {
    fn new(players: usize, edges: &[(usize, usize)]) -> Reach {
        let mut next = vec![Vec::new(); players];
        for &(from, to) in edges {
            next[from].push(to);
        }
        Reach { next }
    }

    fn from(&self, start: usize) -> Vec<bool> {
        let mut seen = vec![false; self.next.len()];
        seen[start] = true;
        let mut open = vec![start];
        while let Some(player) = open.pop() {
            for &other in &self.next[player] {
                if !seen[other] {
                    seen[other] = true;
                    open.push(other);
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_classes() {
        assert_eq!(components(5, &[(3, 1), (0, 4)]), [vec![0, 4], vec![1, 3], vec![2]]);
        // 0 and 1 share points, both only ever win against 2.
        assert_eq!(classes(3, &[(0, 1), (1, 0), (0, 2), (1, 2)]), [0, 0, 1]);
    }
}
