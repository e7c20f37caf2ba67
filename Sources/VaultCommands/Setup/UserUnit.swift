import VaultModel

/// The folder and the quoting of the units of systemd's user manager.
enum UserUnit {
  /// Returns the folder of the user's own units, which replace those of packages.
  ///
  /// - Throws: ``VaultError/Code/configuration`` without a home folder.
  static func folder() throws(VaultError) -> String {
    try UserPlaces.folder("XDG_CONFIG_HOME", below: ".config") + "/systemd/user"
  }

  /// Returns one word of a unit's command line.
  ///
  /// Source: systemd.service(5), systemd.unit(5).
  static func quoted(_ word: String) -> String {
    let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%").replacing("$", with: "$$")
    return escaped == word && !word.contains(where: { " \t'".contains($0) })
      ? word : "\"\(escaped)\""
  }
}
