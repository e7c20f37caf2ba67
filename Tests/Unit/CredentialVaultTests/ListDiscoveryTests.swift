import VaultAdministration
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// Each in a process of its own, because the environment belongs to all threads.
@Suite("VaultList.open() finds the vaults by the configuration")
struct ListDiscoveryTests {
  @Test("the list of the configuration with its key; VAULTCTL_VAULT alone; else the default vault")
  func order() async {
    await #expect(processExitsWith: .success) {
      let folder = try ConfiguredFolder()
      #expect(try VaultList.open().vaults.map(\.path) == [folder.standard])
      try folder.configure("search = \(folder.other)\nsearch = ~/data/vaultctl/default.vault\n")
      let list = try VaultList.open()
      #expect(list.vaults.map(\.path) == [folder.other, folder.standard])
      #expect(try list.vaults.map { try $0.state() } == [.locked, .locked])
      #expect(try list.defaultVault.path == folder.other)
      #expect(try VaultLocation.find() == folder.other)
      #expect(try Vault.open().path == folder.other)
      for vault in list.vaults { try vault.close() }
      try folder.configure(
        """
        search = read-only \(folder.other)
        search = \(folder.standard)
        key = ~/key
        """)
      #expect(try VaultList.open().vaults.map { try $0.state() } == [.unlocked, .unlocked])
      #expect(try VaultList.open().defaultVault.path == folder.standard)
      #expect(try Vault.open().path == folder.standard)
      try folder.configure("default = \(folder.other)\nkey = \(folder.key)\n")
      #expect(try Vault.open().path == folder.other)
      #expect(try Vault.open().state() == .unlocked)
      #expect(try VaultList.open().vaults.map(\.path) == [folder.other])
      Environment.set("VAULTCTL_VAULT", folder.standard)
      try folder.configure("search = \(folder.other)\nsearch = read-only \(folder.standard)\n")
      #expect(try VaultList.open().vaults.map(\.path) == [folder.standard])
      // Its marks are the list's.
      expect(.readOnly) { _ = try VaultList.open().defaultVault }
      // Paths that a program names are not the user's list's.
      #expect(try VaultList.open([folder.standard]).defaultVault.path == folder.standard)
    }
  }

  @Test("a vault that is only read is the default of a list without another, and stays as it is")
  func onlyReadOnly() async {
    await #expect(processExitsWith: .success) {
      let folder = try ConfiguredFolder()
      try folder.configure("search = read-only \(folder.other)\nkey = \(folder.key)\n")
      let vault = try Vault.open()
      #expect(vault.path == folder.other)
      expect(.readOnly) { try vault.add(item()) }
      try vault.close()
      expect(.readOnly) { _ = try Vault.create(key: .keyFile(folder.key)) }
      let backup = folder.folder.file("backup")
      try Vault.open(path: folder.standard).maintenance.backup(to: backup)
      expect(.readOnly) { _ = try VaultMaintenance.restore(from: backup) }
      let results = try VaultMaintenance.diagnose().results
      for check in [.folder, .file, .format] as [DiagnosticResult.Check] {
        #expect(results.contains { $0.check == check && $0.status == .ok })
      }
    }
  }

  @Test("the key of the configuration is the last one, and the other half of a passphrase")
  func key() async {
    await #expect(processExitsWith: .success) {
      let folder = try ConfiguredFolder()
      #expect(try KeySource.find() == nil)
      try folder.configure("key = \(folder.key)\n")
      guard case .found(let sources) = try KeySource.find(), sources.count == 1,
        case .keyFile(folder.key) = sources[0]
      else { exit(1) }
      Environment.set("VAULTCTL_PASSPHRASE_FILE", "/p")
      guard case .found(let pairs) = try KeySource.find(), pairs.count == 1,
        case .both(.passphraseFile("/p"), .keyFile(folder.key)) = pairs[0]
      else { exit(2) }
      // A key file is not the other half of a key file.
      Environment.set("VAULTCTL_PASSPHRASE_FILE", "")
      guard case .keyFile("/k") = try KeySource.keyFile("/k").completed() else { exit(3) }
      Environment.set("VAULTCTL_PASSPHRASE_FILE", "/p")
      Environment.set("VAULTCTL_KEY_FILE", "/k")
      guard case .both(.keyFile("/k"), .passphraseFile("/p")) = try KeySource.find() else {
        exit(4)
      }
      // With these the configuration is not needed, and may be wrong.
      try folder.configure("x\n")
      guard case .both = try KeySource.find() else { exit(5) }
    }
  }

  @Test("a configuration that is wrong, or that others could have written, is an error")
  func wrong() async {
    await #expect(processExitsWith: .success) {
      let folder = try ConfiguredFolder()
      let all = [
        { () throws -> Void in _ = try VaultList.open() }, { _ = try Vault.open() },
        { _ = try VaultLocation.find() }, { _ = try KeySource.find() },
      ]
      func each(_ code: VaultError.Code) {
        for open in all { expect(code) { try open() } }
      }
      try folder.configure("search = \(folder.other)\nserch = x\n")
      each(.configuration)
      // Neither a path nor a key is looked for.
      let key = KeySource.keyFile(folder.key)
      #expect(try VaultList.open([folder.other], key: key).vaults.count == 1)
      try Data([0xFF, 0x0A]).write(to: URL(filePath: folder.configuration))
      each(.configuration)
      try folder.configure(String(repeating: "#", count: 1 << 16 + 1))
      each(.configuration)
      try folder.configure("")
      allow(all)
      for (mode, isRefused) in [(0o644, false), (0o444, false), (0o620, true), (0o602, true)] {
        try FileManager.default.setAttributes(
          [.posixPermissions: mode], ofItemAtPath: folder.configuration)
        isRefused ? each(.unsafePermissions) : allow(all)
      }
      try folder.configure("")
      for mode in [0o777, 0o700] {
        let parent = folder.folder.file("config")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: parent)
        mode == 0o777 ? each(.unsafePermissions) : allow(all)
      }
      try FileManager.default.removeItem(atPath: folder.configuration)
      try FileManager.default.createDirectory(
        atPath: folder.configuration, withIntermediateDirectories: false)
      each(.configuration)
    }
  }

  @Test("a change is written in one step, also through a link, and keeps comments")
  func change() async {
    await #expect(processExitsWith: .success) {
      let folder = try ConfiguredFolder()
      try VaultConfiguration.change { (list) throws(VaultError) in
        try list.setEntries([ListedVault(folder.other)])
      }
      #expect(try folder.text() == "search = \(folder.other)\n")
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.configuration)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      // A failure leaves everything as it was.
      expect(.invalidArgument) {
        try VaultConfiguration.change { (list) throws(VaultError) in
          try list.setEntries([ListedVault("x")])
        }
      }
      let target = folder.folder.file("dotfile")
      try FileManager.default.moveItem(atPath: folder.configuration, toPath: target)
      try FileManager.default.createSymbolicLink(
        atPath: folder.configuration, withDestinationPath: target)
      try VaultConfiguration.change { (list) throws(VaultError) in try list.setEntries([]) }
      #expect(try String(contentsOfFile: target, encoding: .utf8) == "")
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: folder.configuration) == target)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder.path)
      #expect(!names.contains { $0.hasSuffix(".new") })
    }
  }
}

/// Runs each opening, which must not fail.
private func allow(_ all: [() throws -> Void]) {
  for open in all { #expect(throws: Never.self) { try open() } }
}

/// The folders of a process whose configuration a test writes.
private struct ConfiguredFolder {
  let folder: TemporaryFolder
  let key: String
  var configuration: String { folder.file("config/vaultctl/config") }
  var standard: String { folder.file("data/vaultctl/default.vault") }
  var other: String { folder.file("data/vaultctl/other.vault") }

  /// Creates two vaults that the key file opens, and no configuration.
  init() throws {
    folder = try Environment.begin()
    key = folder.file("key")
    Environment.set("HOME", folder.path)
    Environment.set("XDG_CONFIG_HOME", folder.file("config"))
    try FileManager.default.createDirectory(
      atPath: folder.file("config/vaultctl"), withIntermediateDirectories: true)
    try KeyFile.create(at: key)
    try Vault.create(key: .keyFile(key)).close()
    try Vault.create(path: other, key: .keyFile(key)).close()
  }

  func configure(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: configuration))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: configuration)
  }

  func text() throws -> String { try String(contentsOfFile: configuration, encoding: .utf8) }
}
