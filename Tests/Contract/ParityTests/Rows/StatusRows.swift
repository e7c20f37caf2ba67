import CVault
import CredentialVault
import ProgramTesting
import SecureMemory
import TestSupport
import VaultModel

/// The status numbers.
enum StatusRows {
  static let rows: [Row] = [
    Row(
      "status.message", .statuses, "An unknown status has no message.",
      by: .swift(describedErrors), .native(nativeMessages), .keychain(messages),
      vault: .differs("It has one.", "32 of 32, some"),
      compatible: .same("381 of 381, none"), why: "Printing needs no special case."),
    Row(
      "status.detail", .statuses,
      "errSecParam does not say which argument.",
      by: .swift(context), .native(lastError), .keychain(lastErrorOfKeychain),
      vault: .differs(
        "The error says it, without secrets.", "invalid-argument, host"),
      compatible: .differs("`vault_last_error()` says it.", "invalid-argument, host"),
      why: "A caller can mend the mistake."),
    Row(
      "status.locked", .statuses,
      "A locked keychain prompts, else errSecInteractionNotAllowed.",
      by: .any { driver in
        try driver.lock()
        return try driver.first(.ann)
      }, vault: .differs("No prompt: `locked`.", "locked"),
      compatible: .same("locked"), why: "There may be nobody to prompt.",
      except: [.session: "locking is of the file's key"]),
    Row(
      "status.wrong-key", .statuses, "A wrong passphrase is errSecAuthFailed.",
      by: .swift(wrongKey), .native(wrongKeyInC), .keychain(wrongKeyInKeychain),
      vault: .same("authentication-failed"), compatible: .same("authentication-failed"),
      except: [.session: "the session has no key of its own"]),
    Row(
      "status.missing", .statuses, "A missing keychain is errSecNoSuchKeychain.",
      by: .swift(missing), .native(missingInC), .keychain(missingInKeychain),
      vault: .same("vault-not-found"), compatible: .same("vault-not-found"),
      except: [.session: "the session has no file"]),
    Row(
      "status.other-file", .statuses, "A file that is not a keychain is errSecInvalidKeychain.",
      by: .swift(otherFile), .native(otherFileInC), .keychain(otherFileInKeychain),
      vault: .differs("`not-a-vault`; damage is another error.", "not-a-vault"),
      compatible: .same("invalid-keychain"),
      why: "A wrong path is no broken disk.",
      except: [.session: "the session has no file"]),
    Row(
      "status.policy", .statuses, "No rules say what may be kept.",
      by: .any { try refused($0) },
      vault: .differs("`policy-refused`.", "policy-refused"),
      compatible: .differs("errSecWrPerm.", "policy-refused"),
      why: "An administrator decides.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "status.unlocked", .statuses,
      "A status says unlocked, readable, writable.",
      by: .swift(state), .native(stateInC), .keychain(stateInKeychain),
      vault: .differs("Unlocked or locked.", "unlocked, locked"),
      compatible: .same("7, 6"),
      why: "Only writing shows whether it can be written.",
      except: [.session: "locking is of the file's key"]),
  ]

  // MARK: Texts

  static func describedErrors(_ driver: SwiftDriver) -> String {
    let texts = (1...32).map { VaultError.Code(rawValue: Int32($0)).description }
    let described = texts.filter { !$0.hasPrefix("code-") }.count
    let unknown = VaultError.Code(rawValue: 999).description
    return "\(described) of 32, \(unknown.isEmpty ? "none" : "some")"
  }

  static func nativeMessages(_ driver: NativeDriver) -> String {
    func message(_ status: UInt32) -> String {
      // A static text of the library.
      unsafe vault_status_message(vault_status_t(status)).map { unsafe String(cString: $0) } ?? ""
    }
    let unknown = message(999)
    let described = (1...32).filter { message($0) != unknown }.count
    return "\(described) of 32, \(unknown.isEmpty ? "none" : "some")"
  }

  static func messages(_ driver: KeychainDriver) throws -> String {
    func message(_ status: Int) -> String? {
      // A static text of the library; releasing it is allowed.
      let text = unsafe VaultCopyErrorMessageString(Int32(status), nil)
      defer { unsafe VaultRelease(text) }
      return unsafe text.map { unsafe String(cString: $0) }
    }
    let header = try Project.text(of: "Sources/CVault/include/compat/Security/SecErrors.h")
    let all = header.matches(of: /errSec\w+ = (-?\d+),/).compactMap { Int($0.1) }
    let described = all.filter { message($0)?.isEmpty == false }.count
    return "\(described) of \(all.count), \(message(-12345) ?? "none")"
  }

  static func context(_ driver: SwiftDriver) throws -> String {
    do {
      try driver.add(.ann.with(.server, "no host"))
      return "ok"
    } catch let error as VaultError {
      return seen(error.code.description, error.context.contains("host") ? "host" : error.context)
    }
  }

  static func lastError(_ driver: NativeDriver) throws -> String {
    try withLastError { _ = try driver.find([.server: "no host"]) }
  }

  static func lastErrorOfKeychain(_ driver: KeychainDriver) throws -> String {
    try withLastError { _ = try driver.find([.server: "no host"]) }
  }

  private static func withLastError(_ body: () throws -> Void) throws -> String {
    let outcome = try outcome(body)
    // Valid until the next failure on this thread.
    let text = unsafe vault_last_error().map { unsafe String(cString: $0) } ?? ""
    return seen(outcome, text.contains("host") ? "host" : text)
  }

  // MARK: Vaults

  static func wrongKey(_ driver: SwiftDriver) throws -> String {
    try driver.lock()
    return try outcome { try driver.vault.unlock(with: .passphrase(Secret("wrong"))) }
  }

  static func wrongKeyInC(_ driver: NativeDriver) throws -> String {
    try driver.lock()
    return try outcome {
      try check(unsafe vault_unlock_with_passphrase(driver.vault, "wrong", 5))
    }
  }

  static func wrongKeyInKeychain(_ driver: KeychainDriver) throws -> String {
    try driver.lock()
    return try outcome { try check(unsafe VaultUnlock(driver.vault, 5, "wrong", 1)) }
  }

  static func missing(_ driver: SwiftDriver) throws -> String {
    try outcome { _ = try Vault.openLocked(path: driver.place.folder.file("vault/none")) }
  }

  static func missingInC(_ driver: NativeDriver) throws -> String {
    try opening(driver.place.folder.file("vault/none"))
  }

  static func missingInKeychain(_ driver: KeychainDriver) throws -> String {
    var vault: OpaquePointer?
    var status: UInt32 = 0
    // The path is valid during the call. The reference opens the vault at its first use.
    try check(unsafe VaultOpen(driver.place.folder.file("vault/none"), &vault))
    defer { unsafe VaultRelease(UnsafeRawPointer(vault)) }
    return try outcome { try check(unsafe VaultGetStatus(vault, &status)) }
  }

  static func otherFile(_ driver: SwiftDriver) throws -> String {
    let path = try driver.place.otherFile()
    return try outcome { _ = try Vault.openLocked(path: path) }
  }

  static func otherFileInC(_ driver: NativeDriver) throws -> String {
    try opening(driver.place.otherFile())
  }

  static func otherFileInKeychain(_ driver: KeychainDriver) throws -> String {
    try openingInKeychain(driver.place.otherFile())
  }

  private static func opening(_ path: String) throws -> String {
    try outcome {
      var vault: OpaquePointer?
      try check(unsafe vault_open_locked(path, &vault))
      try check(unsafe vault_close(vault))
    }
  }

  private static func openingInKeychain(_ path: String) throws -> String {
    try outcome {
      var vault: OpaquePointer?
      try check(unsafe VaultOpen(path, &vault))
      unsafe VaultRelease(UnsafeRawPointer(vault))
    }
  }

  static func refused(_ driver: any Driver) throws -> String {
    var rule = PersistencePolicy.Rule(name: "never")
    rule.refuse = true
    try driver.place.vault.policy.update { [rule] (rules) throws(VaultError) in
      rules = [rule]
    }
    return try outcome { try driver.add(.ann) }
  }

  static func state(_ driver: SwiftDriver) throws -> String {
    let before = "\(try driver.vault.state())"
    try driver.lock()
    return seen(before, "\(try driver.vault.state())")
  }

  static func stateInC(_ driver: NativeDriver) throws -> String {
    func state() throws -> String {
      var state = VAULT_STATE_LOCKED
      try check(unsafe vault_get_state(driver.vault, &state))
      return state == VAULT_STATE_UNLOCKED ? "unlocked" : "locked"
    }
    let before = try state()
    try driver.lock()
    return seen(before, try state())
  }

  static func stateInKeychain(_ driver: KeychainDriver) throws -> String {
    func status() throws -> String {
      var status: UInt32 = 0
      try check(unsafe VaultGetStatus(driver.vault, &status))
      return "\(status)"
    }
    let before = try status()
    try driver.lock()
    return seen(before, try status())
  }
}
