public import CVault
import CredentialVault
import KeychainServices
import SecureMemory
import VaultModel

/// Adds an item to a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultAddInternetPassword(
  _ vault: VaultRef?, _ serverLength: UInt32, _ server: UnsafePointer<CChar>?,
  _ domainLength: UInt32, _ domain: UnsafePointer<CChar>?, _ accountLength: UInt32,
  _ account: UnsafePointer<CChar>?, _ pathLength: UInt32, _ path: UnsafePointer<CChar>?,
  _ port: UInt16, _ proto: VaultProtocolType, _ authenticationType: VaultAuthenticationType,
  _ passwordLength: UInt32, _ password: UnsafeRawPointer?,
  _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The texts are the caller's, valid during the call.
    let key = try unsafe Item.Key(
      server: Input.optionalText(server, serverLength),
      domain: Input.optionalText(domain, domainLength),
      account: Input.optionalText(account, accountLength),
      path: Input.optionalText(path, pathLength), port: port, protocol: proto,
      authenticationType: authenticationType)
    let secret = try unsafe Input.secret(password, Int(passwordLength))
    try unsafe Keychain.add(Item(key: key, secret: secret), to: vault, item)
  }
}

/// Adds a generic password to a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultAddGenericPassword(
  _ vault: VaultRef?, _ serviceLength: UInt32, _ service: UnsafePointer<CChar>?,
  _ accountLength: UInt32, _ account: UnsafePointer<CChar>?, _ passwordLength: UInt32,
  _ password: UnsafeRawPointer?, _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The texts are the caller's, valid during the call.
    let key = try unsafe Item.Key(
      service: Input.optionalText(service, serviceLength),
      account: Input.optionalText(account, accountLength))
    let secret = try unsafe Input.secret(password, Int(passwordLength))
    try unsafe Keychain.add(Item(key: key, secret: secret), to: vault, item)
  }
}

/// Adds an item with any attributes to a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultItemCreateFromContent(
  _ itemClass: VaultItemClass, _ attributes: UnsafePointer<VaultAttributeList>?,
  _ length: UInt32, _ data: UnsafeRawPointer?, _ vault: VaultRef?, _ access: VaultAccessRef?,
  _ item: UnsafeMutablePointer<VaultItemRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let itemClass = try ItemClass(keychain: itemClass)
    let asksEachTime = try Keychain.asksEachTime(access)
    var key = Item.Key(authenticationMethod: .unset)
    if itemClass == .genericPassword { key = Item.Key(service: "", account: "") }
    // The list and the data are the caller's, valid during the call.
    var new = try unsafe Item(key: key, secret: Input.secret(data, Int(length)))
    var changes: [ItemChange] = []
    for attribute in try unsafe KeychainAttribute.all(in: attributes, of: itemClass) {
      if let change = try attribute.change(.unsets, isNew: true) { changes.append(change) }
    }
    _ = new.apply(changes)
    if asksEachTime == true { new.asksEachTime = true }
    try unsafe Keychain.add(new, to: vault, item)
  }
}

extension Keychain {
  /// Adds an item, and gives a reference to it to the caller, who may not want one.
  fileprivate static func add(
    _ new: Item, to vault: VaultRef?, _ item: UnsafeMutablePointer<VaultItemRef?>?
  ) throws(VaultError) {
    let vault = try KeychainVaults.one(vault)
    let added = try vault.vault.add(new, afterAcceptance: true)
    try added.requireKept()
    // Nothing fails any more. The place is the caller's, or NULL.
    unsafe item?.pointee = ItemHandle(added, in: vault).givenOut()
  }
}

extension Item {
  /// Creates a new item without a creator: `aapl`, which Apple writes, belongs to Apple.
  fileprivate init(key: Key, secret: Secret) {
    self.init(secret: secret)
    self.key = key
  }
}
