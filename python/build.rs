//! How an extension module is linked: on macOS Python's own functions are looked up when the module is loaded.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
