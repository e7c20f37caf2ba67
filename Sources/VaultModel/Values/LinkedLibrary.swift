import CVaultText

/// A C library that a program is linked with: which security updates it has, only its version says.
package struct LinkedLibrary: Sendable {
  /// Its name, as its own project writes it.
  package let name: String
  /// The version of the code that runs, rather than that of the headers.
  package let version: String

  package init(_ name: String, version: String) {
    self.name = name
    self.version = version
  }

  package static var idn2: LinkedLibrary {
    // Without a required version it returns its own, a constant string.
    let version = unsafe idn2_check_version(nil).map { unsafe String(cString: $0) }
    return LinkedLibrary("libidn2", version: version ?? "")
  }
}
