public import CredentialVault
import VaultAdministration
import Glibc
public import VaultModel
import VaultTerminal

extension Invocation {
  /// Opens the vault with the key of an admin's machine.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if there is none; any error of unlocking.
  func openAsAdmin() throws(VaultError) -> (vault: Vault, key: KeySource) {
    let found =
      if let path = arguments.text(.adminKeyFile) {
        try KeySource.keyFile(path).loaded()
      } else {
        try Self.machineKey(
          first: arguments.text(.keyFile) ?? Environment.value("VAULTCTL_KEY_FILE"))
      }
    guard let key = found else {
      throw VaultError(
        .invalidArgument,
        "an admin's machine changes the machines: --admin-key-file names its key; if none is left,"
          + " vaultctl rekey with a key that is no machine's ends them all")
    }
    let vault = try openLocked()
    try vault.unlock(with: key)
    // Another admin may have admitted or removed machines since.
    try sync(vault)
    return (vault, key)
  }

  /// Returns the key of this machine, or of the one that is named.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if there is none.
  public func requireMachineKey() throws(VaultError) -> KeySource {
    let named = arguments.text(.keyFile) ?? Environment.value("VAULTCTL_KEY_FILE")
    guard let key = try Self.machineKey(first: named) else {
      throw VaultError(.missingInput, "this machine has no key: fleet join makes one")
    }
    return key
  }

  /// Unlocks a vault with this machine's key, if that opens it: on a fleet, machines alone write.
  func unlockAsMachine(_ vault: Vault) throws(VaultError) {
    guard let key = try Self.machineKey(first: Environment.value("VAULTCTL_KEY_FILE")) else {
      return
    }
    do throws(VaultError) {
      try vault.unlock(with: key)
    } catch {
      // It is the key of another vault's machine.
      guard error.code == .authenticationFailed else { throw error }
    }
  }

  /// Returns the machine's key that is named, or else this machine's own; nil if there is neither.
  ///
  /// A file that is not a machine's key, or cannot be read, is passed over.
  private static func machineKey(first named: String?) throws(VaultError) -> KeySource? {
    for path in [named, KeyFile.machinePath].compactMap(\.self) where KeyFile.isPresent(at: path) {
      let key = KeySource.keyFile(path)
      if key.faultOfFile() == nil, try key.isMachine() { return try key.loaded() }
    }
    return nil
  }

  /// Returns the name of this machine: `--name`, else that of its system.
  func machineName() throws(VaultError) -> String {
    if let name = arguments.text(.name) { return name }
    var buffer = [CChar](repeating: 0, count: 256)
    // It writes no more than there is room for, and the last byte stays NUL.
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else {
      throw VaultError(.invalidArgument, "this machine has no name: --name gives it one")
    }
    return String(
      decoding: buffer.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: ".")) }
        .map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Requires that a person has compared the fingerprint of a line that came from elsewhere.
  ///
  /// - Parameters:
  ///   - line: The line of a machine or an admin key.
  ///   - holder: The holder of the fingerprint, in words.
  ///   - question: The action to agree to.
  ///   - named: The fingerprint that `--fingerprint` names; nil asks.
  /// - Throws: ``VaultError/Code/invalidData`` for another line, or if another fingerprint is
  ///   named; ``VaultError/Code/invalidArgument`` if nobody can be asked;
  ///   ``VaultError/Code/interrupted`` if the answer is not yes.
  func requireFingerprint(
    of line: String, _ holder: String, question: String, named: String?
  ) throws(VaultError) {
    let actual = try MachineKeyFile.fingerprint(of: line)
    if let named {
      guard named.utf8.filter(\.isDigit) == actual.utf8.filter(\.isDigit) else {
        throw VaultError(
          .invalidData, "the line has another fingerprint: somebody may have changed it on its way")
      }
      return
    }
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .invalidArgument,
        "there is no terminal to confirm the line's fingerprint on: --fingerprint names the one that"
          + " the other machine shows")
    }
    try Self.requireConsent(
      to: question, ["\(actual) is \(holder), if it shows the same there"], on: terminal)
  }
}

extension VaultMachine {
  /// `laptop (admin), slot 17, admitted 2026-01-01T00:00:00Z, 12345 …`.
  var text: String {
    "\(name)\(isAdmin ? " (admin)" : ""), slot \(id), admitted \(admitted.rfc3339),"
      + " \(fingerprint)"
  }
}

extension JSONWriter {
  mutating func field(_ name: String, _ machine: VaultMachine) throws(VaultError) {
    try self.name(name)
    try value(machine)
  }

  mutating func field(_ machines: [VaultMachine]) throws(VaultError) {
    try array("machines", machines) { (machine, json) throws(VaultError) in
      try json.value(machine)
    }
  }

  mutating func value(_ machine: VaultMachine) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("id", machine.id)
      try json.field("name", machine.name)
      try json.field("admin", machine.isAdmin)
      try json.field("admitted", machine.admitted.rfc3339)
      try json.field("fingerprint", machine.fingerprint)
    }
  }
}
