public import CVault
import KeychainServices
import SecureMemory
import TLSCredentials
import VaultModel

// Each reference is what `vault_sectrust.h` says of it; it is looked up, and not kept. Places are
// written last.

/// Returns the type of identities; the contract is in `vault_sectrust.h`, as for all of these.
@c @implementation
public func VaultIdentityGetTypeID() -> VaultCFTypeID {
  VaultCFTypeID(HandleKind.identity.rawValue)
}

/// Copies the certificate of an identity.
@c @implementation
public func VaultIdentityCopyCertificate(
  _ identity: VaultIdentityRef?, _ certificate: UnsafeMutablePointer<VaultCertificateRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(certificate)
    let made = CertificateHandle(try IdentityHandle.at(identity).identity.certificate)
    unsafe place.pointee = made.givenOut()
  }
}

/// Reads the identities of a file.
@c @implementation
public func VaultPKCS12Import(
  _ file: VaultCFDataRef?, _ options: VaultCFDictionaryRef?,
  _ items: UnsafeMutablePointer<VaultCFArrayRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(items)
    // The data are the caller's, as long as it says.
    guard let start = unsafe VaultCFDataGetBytePtr(file) else {
      throw VaultError(.invalidArgument, "not data")
    }
    let bytes = try unsafe Input.secret(start, VaultCFDataGetLength(file))
    let found = try ImportedIdentity.all(in: bytes, passphrase: unsafe passphrase(in: options))
    unsafe place.pointee = try CFObjects.array(of: found)
  }
}

/// Prefers an identity.
@c @implementation
public func VaultIdentitySetPreferred(
  _ identity: VaultIdentityRef?, _ name: VaultCFStringRef?, _ key_usage: VaultCFArrayRef?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The references are only taken apart.
    let certificate =
      unsafe identity == nil ? nil : try IdentityHandle.at(identity).identity.certificate
    let name = try CFObjects.requiredText(of: name)
    try DefaultVault.open().vault.identities.prefer(certificate, for: name)
  }
}

/// Returns the preferred identity.
@c @implementation
public func VaultIdentityCopyPreferred(
  _ name: VaultCFStringRef?, _ key_usage: VaultCFArrayRef?, _ valid_issuers: VaultCFArrayRef?
) -> VaultIdentityRef? {
  unsafe created { () throws(VaultError) in
    let name = try CFObjects.requiredText(of: name)
    let identities = try DefaultVault.open().vault.identities
    return IdentityHandle(try identities.open(identities.preferred(for: name)))
  }
}

/// Returns the passphrase of an import; nil if there is none.
private func passphrase(in options: VaultCFDictionaryRef?) throws(VaultError) -> Secret? {
  // The dictionary is the caller's, the key a constant, and the value the dictionary's.
  guard unsafe options != nil else { return nil }
  guard unsafe VaultCFGetTypeID(UnsafeRawPointer(options)) == VaultCFDictionaryGetTypeID() else {
    throw VaultError(.invalidArgument, "not a dictionary")
  }
  guard let value = unsafe CFObjects.value(of: options, for: "passphrase") else { return nil }
  return try unsafe CFObjects.secret(of: OpaquePointer(value))
}

extension CFObjects {
  /// Returns the text of a string that is required.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else, as for NULL.
  @safe fileprivate static func requiredText(
    of string: VaultCFStringRef?
  ) throws(VaultError) -> String {
    // The string is the caller's; its type is looked up.
    guard let text = unsafe text(of: UnsafeRawPointer(string)) else {
      throw VaultError(.invalidArgument, "not a string")
    }
    return text
  }

  /// Returns an array with a dictionary for each identity.
  fileprivate static func array(
    of identities: [ImportedIdentity]
  ) throws(VaultError) -> VaultCFArrayRef {
    var entries: [OwnedObject] = []
    for identity in identities {
      let chain = identity.chain.map { CertificateHandle($0) }
      entries.append(
        try OwnedObject([
          // Apple's keys: `kSecImportItemCertChain` and the others.
          ("chain", try OwnedObject(handles: chain)),
          ("identity", try OwnedObject(IdentityHandle(identity.identity))),
          ("keyid", try OwnedObject(.data(identity.keyIdentifier))),
          ("label", try OwnedObject(.text(identity.label))),
          ("trust", try OwnedObject(TrustHandle(identity.trust))),
        ]))
    }
    // The caller owns the array, which retains its elements.
    return try unsafe OpaquePointer(OwnedObject(entries).givenOut())
  }
}
