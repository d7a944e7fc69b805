//! The configurations that come with the program: the files of the folder `configs`.

use rules::VariantId;

/// Their names and texts, in the order of the names.
pub const BUNDLED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/configs.rs"));

/// Name and text of the configuration of this name, or of the small one of the variant of this name.
pub fn named(name: &str) -> Option<(&'static str, &'static str)> {
    let small = name.parse::<VariantId>().ok().map(|variant| format!("{variant}-smoke"));
    let name = small.as_deref().unwrap_or(name);
    BUNDLED.iter().copied().find(|(known, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::ConfigSource;
    use std::collections::BTreeSet;

    #[test]
    fn they_are_the_files_of_the_folder_and_every_variant_has_one() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.filter_map(|file| Some(file.strip_suffix(".toml")?.to_owned())).collect();
        assert_eq!(BUNDLED.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>(), files);
        for &(name, text) in BUNDLED {
            assert_eq!(named(name), Some((name, text)));
            let source = ConfigSource::Bundled { name, text };
            assert_eq!(source.name(), name);
            let config = source.load(&[]).unwrap();
            assert!(name.starts_with(&config.run.variant), "{name}");
        }
        for variant in VariantId::ALL {
            assert_eq!(named(variant.id()).map(|(name, _)| name.to_owned()), Some(format!("{variant}-smoke")));
        }
        assert_eq!(named("wangqi-smoke.toml"), None, "that is a file");
    }
}
