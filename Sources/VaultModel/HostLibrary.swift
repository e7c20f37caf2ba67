import CIDN2

/// The library that converts hosts which are not ASCII.
package enum HostLibrary {
  /// The version that this process runs.
  package static var version: String {
    // A constant string of the library's; null only if a newer version were asked for.
    guard let version = unsafe idn2_check_version(nil) else { return "unknown" }
    return unsafe String(cString: version)
  }

  /// The version that this was compiled with.
  package static var builtVersion: String { IDN2_VERSION }
}
