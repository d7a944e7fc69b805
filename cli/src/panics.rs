//! What the program does when it panics, which is a bug. Everything unwinds, so that engines end and locks are
//! released; then it prints what a bug report needs, and ends with the exit code of bugs.
//!
//! A contained panic, such as one of the Parquet reader on a malformed file, is reported in one line and becomes an
//! error of its own kind.

use crate::version;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Most panics that a report lists, the newest ones.
const MOST_TOLD: usize = 8;

/// The newest panics, oldest first, each in a line.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn panics() -> MutexGuard<'static, Vec<String>> {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the program, and returns its exit code. If it panics, or ends with the exit code of a bug because one of its
/// threads has panicked, that is exit code 70, and what to report is printed.
pub fn contained(work: impl FnOnce() -> ExitCode) -> ExitCode {
    panic::set_hook(Box::new(tell));
    let fault = ExitCode::from(settings::ExitKind::Bug.code());
    // No state of the interrupted work is used after this.
    let code = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or(fault);
    let panics = panics();
    if code == fault && !panics.is_empty() {
        eprintln!("{}", report(std::env::args_os(), &panics));
    }
    code
}

/// Prints a panic when it happens, and records it.
fn tell(info: &PanicHookInfo<'_>) {
    let thread = thread::current();
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let message = info.payload_as_str().unwrap_or("no message");
    let line = format!("thread {} panicked at {place}: {message}", thread.name().unwrap_or("without a name"));
    eprintln!("{line}");
    let calls = Backtrace::capture();
    if calls.status() == BacktraceStatus::Captured {
        eprintln!("{calls}");
    }
    let mut panics = panics();
    if panics.len() == MOST_TOLD {
        panics.remove(0);
    }
    panics.push(line);
}

/// The report of these panics of the program, which was called with these words.
fn report(words: impl Iterator<Item = OsString>, panics: &[String]) -> String {
    let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    format!(
        "error: this is a bug in kirin, not in its input. Please report it with these lines, and with what \
         RUST_BACKTRACE=1 in the environment adds to them:\n  version: kirin {}\n  command: {}\n  panic:   {}",
        version::VERSION,
        words.join(" "),
        panics.join("\n  panic:   "),
    )
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure;
    use std::process::Command;

    /// Runs one of the tests below, each of which is a program that ends; its exit code and what it printed.
    fn program(name: &str) -> (Option<i32>, String) {
        let program = std::env::current_exe().expect("this program");
        let words = ["--exact", &format!("panics::tests::{name}"), "--ignored", "--nocapture"];
        let ran = Command::new(program).args(words).env_remove("RUST_BACKTRACE").output().expect("it starts");
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    }

    /// Ends the program with 70, if that is what `main` would give, and with 1 otherwise.
    fn end(work: impl FnOnce() -> ExitCode) -> ! {
        let code = contained(work);
        std::process::exit(if code == ExitCode::from(70) { 70 } else { 1 })
    }

    #[test]
    #[ignore = "a program that another test starts"]
    fn it_panics() {
        end(|| panic!("no such square"))
    }

    #[test]
    #[ignore = "a program that another test starts"]
    fn its_thread_panics() {
        end(|| {
            let thread = thread::Builder::new().name("player".to_owned()).spawn(|| panic!("no such move"));
            let joined = thread.expect("a thread").join();
            failure::exit_code(joined.map_err(|_| anyhow::anyhow!("a game was not played")))
        })
    }

    #[test]
    #[ignore = "a program that another test starts"]
    fn its_reader_panics_on_a_file() {
        end(|| {
            let read = panic::catch_unwind(|| panic!("no such column"));
            let damage = failure::Failure::Damage("the file is not what was written".to_owned());
            failure::exit_code(read.map_err(|_| damage.into()))
        })
    }

    #[test]
    fn a_panic_ends_with_the_code_of_a_fault_and_says_what_to_report() {
        let version = format!("version: kirin {}\n", version::VERSION);
        for (name, told) in [
            ("it_panics", "thread panics::tests::it_panics panicked at "),
            ("its_thread_panics", "thread player panicked at "),
        ] {
            let (code, said) = program(name);
            assert_eq!(code, Some(70), "{name}: {said}");
            assert_eq!(said.matches(told).count(), 2, "when it happens and in the report:\n{said}");
            assert!(
                said.contains("panics.rs:")
                    && said.contains(&version)
                    && said.contains("command: ")
                    && said.contains(" --exact "),
                "{said}"
            );
        }
    }

    #[test]
    fn a_panic_that_is_contained_is_an_error_of_its_own_kind() {
        let (code, said) = program("its_reader_panics_on_a_file");
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("error: the file is not what was written") && !said.contains("report"), "{said}");
    }

    #[test]
    fn the_command_can_be_pasted() {
        let words = ["kirin", "run", "my config.toml", "--set", "run.folder=\"it's\"", ""];
        let told = report(words.into_iter().map(OsString::from), &["one".to_owned(), "two".to_owned()]);
        assert!(told.contains("command: kirin run 'my config.toml' --set 'run.folder=\"it'\\''s\"' ''\n"), "{told}");
        assert!(told.ends_with("  panic:   one\n  panic:   two"), "{told}");
    }
}
