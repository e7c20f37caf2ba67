import CVaultFormats
package import VaultModel

extension LinkedLibrary {
  /// The libraries that read other programs' formats.
  package static var ofInterchange: [LinkedLibrary] {
    let expat = XML_ExpatVersionInfo()
    return [
      // A constant string.
      LinkedLibrary("zlib", version: unsafe String(cString: zlibVersion())),
      LinkedLibrary("expat", version: "\(expat.major).\(expat.minor).\(expat.micro)"),
    ]
  }
}
