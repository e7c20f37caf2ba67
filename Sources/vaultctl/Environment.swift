import Glibc

/// The environment of the process.
enum Environment {
  /// Returns the variable's value; nil if it is absent or empty, which XDG takes as the same.
  static func value(_ name: String) -> String? {
    // The result is a NUL-terminated string that is copied at once; nobody sets variables.
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }
}
