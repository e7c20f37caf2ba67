import CredentialVault
package import KeychainServices
import SecureMemory
import TestSupport
import VaultModel

/// The functions over a vault of one test's own.
final class Fixture: Sendable {
  let folder: TemporaryFolder
  let vault: Vault
  let items: KeychainItems

  init() throws {
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let vault = try Vault.create(
      path: folder.file("own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
    self.folder = folder
    self.vault = vault
    // The folder lives as long as the functions.
    items = KeychainItems { withExtendedLifetime(folder) { [vault] } }
  }

  init(inMemory vault: Vault) throws {
    folder = try TemporaryFolder()
    self.vault = vault
    items = KeychainItems { [vault] }
  }

  /// Returns a fixture over each store.
  static func make(_ store: Store) throws -> Fixture {
    switch store {
    case .file: try Fixture()
    case .memory: try Fixture(inMemory: .inMemory())
    }
  }
}

/// The stores of a vault.
enum Store: CaseIterable, Sendable {
  case file, memory
}

typealias Dictionary = [String: KeychainValue]

extension KeychainItems {
  /// Adds an item, and returns the status and the result.
  func adding(_ dictionary: Dictionary) -> (status: Int32, result: KeychainValue?) {
    status { () throws(VaultError) in try add(dictionary) }
  }

  func copying(_ dictionary: Dictionary) -> (status: Int32, result: KeychainValue?) {
    status { () throws(VaultError) in try copyMatching(dictionary) }
  }

  func updating(_ query: Dictionary, _ changes: Dictionary) -> Int32 {
    status { () throws(VaultError) in
      try update(query, changes)
      return nil
    }.status
  }

  func deleting(_ query: Dictionary) -> Int32 {
    status { () throws(VaultError) in
      try delete(query)
      return nil
    }.status
  }

  private func status(
    _ body: () throws(VaultError) -> KeychainValue?
  ) -> (status: Int32, result: KeychainValue?) {
    do throws(VaultError) {
      return (0, try body())
    } catch {
      return (error.keychainStatus, nil)
    }
  }
}

extension KeychainValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .flag(value) }
  package init(arrayLiteral elements: KeychainValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, KeychainValue)...) {
    self = .dictionary(.init(uniqueKeysWithValues: elements))
  }

  /// The bytes of data or of a secret.
  var bytes: [UInt8]? {
    switch self {
    case .data(let bytes): bytes
    case .secret(let secret):
      // The bytes of a test's own secret.
      secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    default: nil
    }
  }

  /// The text of the bytes.
  var secretText: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Int64? { if case .number(let number) = self { number } else { nil } }
  var elements: [KeychainValue]? { if case .array(let values) = self { values } else { nil } }
  var dictionary: Dictionary? { if case .dictionary(let values) = self { values } else { nil } }
  var reference: KeychainItemReference? {
    if case .item(let reference) = self { reference } else { nil }
  }

  static func secret(_ text: String) -> KeychainValue { .secret(Secret(text)) }
}
