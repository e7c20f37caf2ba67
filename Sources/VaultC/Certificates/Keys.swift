public import CVault
import KeychainServices
import SecureMemory
import TLSCredentials
import VaultModel

// Each reference is what `vault_seckey.h` says of it; it is looked up, and not kept. Places are
// written last.

/// Returns the type of keys; the contract is in `vault_seckey.h`, as for all of these.
@c @implementation
public func VaultKeyGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.key.rawValue) }

/// Copies the public key of a certificate.
@c @implementation
public func VaultCertificateCopyKey(_ certificate: VaultCertificateRef?) -> VaultKeyRef? {
  unsafe created { () throws(VaultError) in
    KeyHandle(try KeyObject(of: CertificateHandle.at(certificate).certificate))
  }
}

/// Copies the public key of the leaf.
@c @implementation
public func VaultTrustCopyKey(_ trust: VaultTrustRef?) -> VaultKeyRef? {
  unsafe created { () throws(VaultError) in
    guard let leaf = try TrustHandle.at(trust).trust.certificates.first else { return nil }
    return KeyHandle(try KeyObject(of: leaf))
  }
}

/// Copies the private key of an identity.
@c @implementation
public func VaultIdentityCopyPrivateKey(
  _ identity: VaultIdentityRef?, _ key: UnsafeMutablePointer<VaultKeyRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(key)
    let made = KeyHandle(try KeyObject(of: IdentityHandle.at(identity).identity))
    unsafe place.pointee = made.givenOut()
  }
}

/// Reads a key.
@c @implementation
public func VaultKeyCreateWithData(
  _ data: VaultCFDataRef?, _ attributes: VaultCFDictionaryRef?,
  _ error: UnsafeMutablePointer<VaultCFErrorRef?>?
) -> VaultKeyRef? {
  unsafe reporting(error) { () throws(VaultError) in
    // Both are the caller's, and read before this returns.
    let key = try unsafe KeyObject(Keys.secret(data), CFObjects.entries(of: attributes))
    return unsafe KeyHandle(key).givenOut()
  }
}

/// Copies the public key of a key.
@c @implementation
public func VaultKeyCopyPublicKey(_ key: VaultKeyRef?) -> VaultKeyRef? {
  unsafe created { () throws(VaultError) in KeyHandle(try KeyHandle.at(key).key.publicKey()) }
}

/// Copies a key.
@c @implementation
public func VaultKeyCopyExternalRepresentation(
  _ key: VaultKeyRef?, _ error: UnsafeMutablePointer<VaultCFErrorRef?>?
) -> VaultCFDataRef? {
  unsafe reporting(error) { () throws(VaultError) in
    try unsafe OpaquePointer(CFObjects.object(.secret(KeyHandle.at(key).key.key.external())))
  }
}

/// Copies the attributes of a key.
@c @implementation
public func VaultKeyCopyAttributes(_ key: VaultKeyRef?) -> VaultCFDictionaryRef? {
  unsafe copied { () throws(VaultError) in
    try unsafe OpaquePointer(CFObjects.object(.dictionary(KeyHandle.at(key).key.attributes())))
  }
}

/// Returns the bytes that a key handles at once.
@c @implementation
public func VaultKeyGetBlockSize(_ key: VaultKeyRef?) -> Int {
  // The reference is only taken apart.
  unsafe KeyHandle.find(UnsafeRawPointer(key))?.key.key.blockCount ?? 0
}

/// Returns whether a key can be used with an algorithm.
@c @implementation
public func VaultKeyIsAlgorithmSupported(
  _ key: VaultKeyRef?, _ operation: VaultKeyOperationType, _ algorithm: VaultCFStringRef?
) -> UInt8 {
  // The references are only taken apart.
  guard let key = unsafe KeyHandle.find(UnsafeRawPointer(key))?.key,
    let operation = KeyOperation(rawValue: operation),
    let name = unsafe CFObjects.text(of: UnsafeRawPointer(algorithm))
  else { return 0 }
  return key.supports(operation, name) ? 1 : 0
}

/// Signs bytes.
@c @implementation
public func VaultKeyCreateSignature(
  _ key: VaultKeyRef?, _ algorithm: VaultCFStringRef?, _ data: VaultCFDataRef?,
  _ error: UnsafeMutablePointer<VaultCFErrorRef?>?
) -> VaultCFDataRef? {
  unsafe reporting(error) { () throws(VaultError) in
    let key = try KeyHandle.at(key).key
    return try unsafe CFObjects.data(key.sign(Keys.bytes(data), Keys.name(algorithm)))
  }
}

/// Checks a signature.
@c @implementation
public func VaultKeyVerifySignature(
  _ key: VaultKeyRef?, _ algorithm: VaultCFStringRef?, _ data: VaultCFDataRef?,
  _ signature: VaultCFDataRef?, _ error: UnsafeMutablePointer<VaultCFErrorRef?>?
) -> UInt8 {
  let isVerified: Void? = unsafe reporting(error) { () throws(VaultError) in
    try unsafe KeyHandle.at(key).key.verify(
      Keys.bytes(signature), of: Keys.bytes(data), Keys.name(algorithm))
  }
  return isVerified == nil ? 0 : 1
}

/// Encrypts bytes.
@c @implementation
public func VaultKeyCreateEncryptedData(
  _ key: VaultKeyRef?, _ algorithm: VaultCFStringRef?, _ data: VaultCFDataRef?,
  _ error: UnsafeMutablePointer<VaultCFErrorRef?>?
) -> VaultCFDataRef? {
  unsafe reporting(error) { () throws(VaultError) in
    let key = try KeyHandle.at(key).key
    return try unsafe CFObjects.data(key.encrypt(Keys.secret(data), Keys.name(algorithm)))
  }
}

/// Decrypts bytes.
@c @implementation
public func VaultKeyCreateDecryptedData(
  _ key: VaultKeyRef?, _ algorithm: VaultCFStringRef?, _ data: VaultCFDataRef?,
  _ error: UnsafeMutablePointer<VaultCFErrorRef?>?
) -> VaultCFDataRef? {
  unsafe reporting(error) { () throws(VaultError) in
    let found = try unsafe KeyHandle.at(key).key.decrypt(
      Keys.bytes(data), Keys.name(algorithm))
    return try unsafe OpaquePointer(CFObjects.object(.secret(found)))
  }
}

/// The arguments of these functions.
private enum Keys {
  /// Returns the bytes of data.
  @unsafe static func bytes(_ data: VaultCFDataRef?) throws(VaultError) -> [UInt8] {
    guard let bytes = unsafe CFObjects.bytes(of: data) else { throw .missing }
    return bytes
  }

  /// Returns the bytes of data in guarded memory.
  @unsafe static func secret(_ data: VaultCFDataRef?) throws(VaultError) -> Secret {
    // The data are the caller's, as long as it says.
    guard let start = unsafe VaultCFDataGetBytePtr(data) else { throw .missing }
    return try unsafe Input.secret(start, VaultCFDataGetLength(data))
  }

  /// Returns the name of an algorithm.
  @unsafe static func name(_ algorithm: VaultCFStringRef?) throws(VaultError) -> String {
    guard let name = unsafe CFObjects.text(of: UnsafeRawPointer(algorithm)) else { throw .missing }
    return name
  }
}

/// Returns the result of `body`; nil for an error, which is written to its place for the caller.
@unsafe private func reporting<R>(
  _ place: UnsafeMutablePointer<VaultCFErrorRef?>?, _ body: () throws(VaultError) -> R?
) -> R? {
  do throws(VaultError) {
    try HomeProcess.require()
    return try body()
  } catch {
    LastError.set(error.text, error)
    // The place is the caller's, or NULL.
    unsafe place?.pointee = ErrorHandle(error.keyStatus, error.text).givenOut()
    return nil
  }
}
