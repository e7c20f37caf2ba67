public import CVault
import CredentialVault
import SecureMemory
import VaultModel

/// Returns the default vault; the contract is in `vault_keychain_vaults.h`, as for all of these.
@c @implementation
public func VaultCopyDefault(_ vault: UnsafeMutablePointer<VaultRef?>?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(vault)
    unsafe place.pointee = try DefaultVault.open().reference()
  }
}

/// Makes a vault the process's default.
@c @implementation
public func VaultSetDefault(_ vault: VaultRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The reference is only taken apart.
    let isNone = unsafe vault == nil
    let chosen = isNone ? nil : try KeychainVaults.one(vault)
    DefaultVault.choose(chosen)
    KeychainCallbacks.report(VaultEventKind(kVaultDefaultChangedEvent), of: chosen?.vault)
  }
}

/// Returns the vaults that NULL searches.
@c @implementation
public func VaultCopySearchList(_ list: UnsafeMutablePointer<VaultCFArrayRef?>?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(list)
    unsafe place.pointee = try CFObjects.array(of: SearchList.vaults())
  }
}

/// Sets the vaults that NULL searches.
@c @implementation
public func VaultSetSearchList(_ list: VaultCFArrayRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The array is the caller's.
    guard unsafe VaultCFGetTypeID(UnsafeRawPointer(list)) == VaultCFArrayGetTypeID() else {
      throw VaultError(.invalidArgument, "a search list is an array of vaults")
    }
    SearchList.choose(try KeychainVaults.array(list))
    KeychainCallbacks.report(VaultEventKind(kVaultListChangedEvent), of: nil)
  }
}

/// Returns the default vault of a domain.
@c @implementation
public func VaultCopyDomainDefault(
  _ domain: VaultPreferencesDomain, _ vault: UnsafeMutablePointer<VaultRef?>?
) -> Int32 {
  inUserDomain(domain) { unsafe VaultCopyDefault(vault) }
}

/// Makes a vault the default of a domain.
@c @implementation
public func VaultSetDomainDefault(_ domain: VaultPreferencesDomain, _ vault: VaultRef?) -> Int32 {
  inUserDomain(domain) { unsafe VaultSetDefault(vault) }
}

/// Returns the search list of a domain.
@c @implementation
public func VaultCopyDomainSearchList(
  _ domain: VaultPreferencesDomain, _ list: UnsafeMutablePointer<VaultCFArrayRef?>?
) -> Int32 {
  inUserDomain(domain) { unsafe VaultCopySearchList(list) }
}

/// Sets the search list of a domain.
@c @implementation
public func VaultSetDomainSearchList(
  _ domain: VaultPreferencesDomain, _ list: VaultCFArrayRef?
) -> Int32 {
  inUserDomain(domain) { unsafe VaultSetSearchList(list) }
}

/// Accepts the user's domain.
@c @implementation
public func VaultSetPreferenceDomain(_ domain: VaultPreferencesDomain) -> Int32 {
  inUserDomain(domain) { Int32(errVaultSuccess) }
}

/// Returns the user's domain.
@c @implementation
public func VaultGetPreferenceDomain(
  _ domain: UnsafeMutablePointer<VaultPreferencesDomain>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(domain)
    unsafe place.pointee = VaultPreferencesDomain(kVaultPreferencesDomainUser)
  }
}

/// Runs `body` if the domain is the user's.
private func inUserDomain(_ domain: VaultPreferencesDomain, _ body: () -> Int32) -> Int32 {
  guard domain == VaultPreferencesDomain(kVaultPreferencesDomainUser) else {
    return keychainStatus { () throws(VaultError) in
      throw VaultError(.invalidDomain, "vaults have only the user's domain")
    }
  }
  return body()
}

extension VaultError.Code {
  static let invalidDomain = Self(rawValue: Int32(errVaultInvalidPrefsDomain))
}

/// The vaults that NULL searches: the ones that the program chose, else the user's list.
enum SearchList {
  private static let chosen = Lock<[VaultHandle]>([])
  /// The vaults of the user's list, none if that is the default vault alone; nil before it is read.
  private static let configured = Lock<[VaultHandle]?>(nil)

  static func choose(_ vaults: [VaultHandle]) {
    chosen.withLock { $0 = vaults }
  }

  /// Removes a vault that is deleted, so that the others are still searched.
  static func remove(_ vault: Vault) {
    func isLeft(_ handle: VaultHandle) -> Bool {
      handle.vault !== vault && (vault.path == nil || handle.vault.path != vault.path)
    }
    let wasChosen = chosen.withLock { vaults in
      let count = vaults.count
      vaults = vaults.filter(isLeft)
      return vaults.count < count
    }
    configured.withLock { $0 = $0?.filter(isLeft) }
    DefaultVault.forget(vault)
    if wasChosen { KeychainCallbacks.report(VaultEventKind(kVaultListChangedEvent), of: nil) }
  }

  /// Returns the vaults, in order.
  ///
  /// - Throws: The errors of opening the default vault, or those of the list, which name the vault.
  static func vaults() throws(VaultError) -> [VaultHandle] {
    var vaults = chosen.withLock { $0 }
    if vaults.isEmpty { vaults = try usersList() }
    return vaults.isEmpty ? [try DefaultVault.open()] : vaults
  }

  private static func usersList() throws(VaultError) -> [VaultHandle] {
    try configured.withLock { (known) throws(VaultError) in
      if let known, try known.allAreOpen() { return known }
      let entries = try VaultLocation.list().vaults
      var vaults: [VaultHandle] = []
      for entry in entries where entries.count > 1 { vaults.append(try open(entry)) }
      known = vaults
      return vaults
    }
  }

  private static func open(_ entry: ListedVault) throws(VaultError) -> VaultHandle {
    do throws(VaultError) {
      let vault = try Vault.openLocked(entry, lockTimeout: .seconds(10))
      try vault.unlockIfItsKeyIsFound()
      return VaultHandle(vault)
    } catch {
      throw error.named(entry.path)
    }
  }
}

extension [VaultHandle] {
  fileprivate func allAreOpen() throws(VaultError) -> Bool {
    for handle in self where try handle.vault.state() == .closed { return false }
    return true
  }
}
