//! The number of threads of a setting.

/// The number of threads of a setting: 0 is one for each core that this process may use.
///
/// ```
/// assert_eq!(settings::threads(3), 3);
/// assert!(settings::threads(0) >= 1);
/// ```
pub fn threads(setting: usize) -> usize {
    match setting {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}
