import CredentialVault
import FuzzTesting
import SecureMemory
import VaultModel

@testable import SecretService

/// Messages of clients of the Secret Service.
extension FuzzTarget {
  /// All targets.
  static let all = [attributeSet, otherService]

  /// A set of attributes: `u8 length ‖ name ‖ u8 length ‖ value`, again and again.
  static let attributeSet = FuzzTarget(name: "attribute-set") { bytes in
    var input = Input(bytes)
    var attributes: [String: String] = [:]
    while !input.isEmpty {
      let name = input.bytes(Int(input.byte())).text
      attributes[name] = input.bytes(Int(input.byte())).text
    }
    // The service refuses its own names.
    for name in attributes.keys where name.hasPrefix(AttributeMapping.ownPrefix) {
      attributes[name] = nil
    }
    let item = AttributeMapping.item(for: attributes).with(label: "", secret: Secret("s"))
    try require(item.isOffered, "an item of the service's own")
    try require(item.attributes.hasSameBytes(as: attributes), "not what was written")
    try require(item.matches(attributes), "its own attributes do not find it")
    let index = AttributeIndex([item], at: 1)
    for (name, value) in attributes {
      let found = index.candidates(for: [name: value])
      try require(found.count == 1, "the index does not find it by one attribute")
    }
    let isStored: Void? = try reading(refusing: .tooLarge, .invalidArgument) {
      () throws(VaultError) in _ = try Vault.inMemory().add(item, persistence: .session)
    }
    return isStored == nil || item.isOfAttributes ? .refused : .read
  }
}
