import VaultStore
public import VaultModel

extension VaultConfiguration {
  private static let longestFile = 1 << 16

  /// Returns the path of the user's configuration; nil without a home folder.
  package static var path: String? {
    VaultLocation.folder("XDG_CONFIG_HOME", below: ".config").map { $0 + "/config" }
  }

  /// Returns the user's configuration; nil if there is none.
  ///
  /// - Throws: ``VaultError/Code/configuration`` for a line that means nothing;
  ///   ``VaultError/Code/unsafePermissions`` if others could have written the file.
  package static func read() throws(VaultError) -> VaultConfiguration? {
    guard let path, let bytes = try SmallFile.read(path, atMost: longestFile) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw VaultError(.configuration, "\(path) is not UTF-8")
    }
    return try VaultConfiguration(text, at: path, home: Environment.value("HOME"))
  }

  /// Changes the user's configuration, and writes it in one step.
  ///
  /// - Parameter body: Changes the configuration as it is in the file now.
  /// - Returns: The configuration as it was written.
  /// - Throws: Any error of `body`, ``read()`` and of writing, and the file is then as it was;
  ///   ``VaultError/Code/configuration`` without a home folder.
  @discardableResult
  package static func change(
    _ body: (inout VaultConfiguration) throws(VaultError) -> Void
  ) throws(VaultError) -> VaultConfiguration {
    guard let path else {
      throw VaultError(.configuration, "there is no place for it: set XDG_CONFIG_HOME or HOME")
    }
    try FolderCheck.run(on: path)
    try VaultPath.makeFolder(of: path)
    let folder = try VaultPath(path).folder
    return try FolderLock.with(folder, timeout: .seconds(10)) { () throws(VaultError) in
      var configuration = try VaultConfiguration("", at: path, home: nil)
      if let present = try read() { configuration = present }
      try body(&configuration)
      try SmallFile.replace(path, with: Array(configuration.text.utf8))
      return configuration
    }
  }
}

extension RememberedTime {
  /// Returns how long the user wants the key of a passphrase that is typed to be remembered, by
  /// `VAULTCTL_REMEMBER`, else the configuration; nil for not at all.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a variable that means nothing; as
  ///   ``VaultConfiguration/read()``.
  public static func configured() throws(VaultError) -> RememberedTime? {
    guard let text = Environment.value("VAULTCTL_REMEMBER") else {
      return try VaultConfiguration.read()?.remembers
    }
    do throws(VaultError) {
      return try setting(text)
    } catch {
      throw VaultError(error.code, "VAULTCTL_REMEMBER: \(error.context)")
    }
  }

  /// Returns how long the key of a passphrase is remembered that a program of the desktop asked
  /// for: as the user wants, else as `unlock` does, so that no second program asks; nil for not at
  /// all.
  ///
  /// - Throws: As ``configured()``.
  public static func afterDesktopPrompt() throws(VaultError) -> RememberedTime? {
    if let time = try configured() { return time }
    let line = try VaultConfiguration.read()?.lineNumber(of: .remember)
    let isRefused = Environment.value("VAULTCTL_REMEMBER") != nil || line != nil
    return isRefused ? nil : RememberedTime()
  }
}
