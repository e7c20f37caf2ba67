public import CVault
import SecureMemory
import TLSCredentials
import VaultModel

// Each pointer is what `vault_tls.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Wipes and frees an identity; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_free(_ identity: UnsafeMutablePointer<vault_identity_t>?) {
  guard let identity = unsafe identity else { return }
  // Both parts are buffers of the library, or empty.
  unsafe vault_buffer_free(&identity.pointee.certificates)
  unsafe vault_buffer_free(&identity.pointee.key)
}

/// Adds the identities of a file; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_import(
  _ vault: OpaquePointer?, _ file: UnsafeRawPointer?, _ file_count: Int,
  _ passphrase: UnsafeRawPointer?, _ passphrase_count: Int, _ url: UnsafePointer<CChar>?,
  _ url_count: Int, _ persistence: vault_persistence_t,
  _ items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: items, count) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let persistence = try Persistence(persistence)
    let url = try unsafe Input.text(url, url_count)
    let space = url.isEmpty ? nil : try ProtectionSpace(url: url)
    let read = try unsafe Input.identities(file, file_count, passphrase, passphrase_count)
    var stored: [ItemHandle.Content] = []
    for identity in read {
      let result = try handle.vault.identities.add(identity, for: space, persistence: persistence)
      stored.append(ItemHandle.Content(result.stored))
    }
    return (stored, handle)
  }
}

/// Replaces an identity; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_replace(
  _ item: OpaquePointer?, _ file: UnsafeRawPointer?, _ file_count: Int,
  _ passphrase: UnsafeRawPointer?, _ passphrase_count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let read = try unsafe Input.identities(file, file_count, passphrase, passphrase_count)
    guard read.count == 1 else {
      throw VaultError(.ambiguous, "the file has \(read.count) identities")
    }
    try handle.change { (content) throws(VaultError) in
      let identities = handle.vault.vault.identities
      content.became(try identities.replace(StoredIdentity(content.item), with: read[0]).stored)
    }
  }
}

/// Chooses an identity; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_choose(
  _ vault: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ url_count: Int,
  _ issuers: UnsafePointer<vault_bytes_t>?, _ issuer_count: Int,
  _ schemes: UnsafePointer<UInt16>?, _ scheme_count: Int,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let url = try unsafe Input.text(required(url), url_count)
    var request = IdentityRequest()
    // The caller says how many there are of each; they are read before this returns.
    let names = try unsafe Input.array(issuers, issuer_count)
    for index in names.indices {
      let der = try unsafe Input.data(names[index].bytes, names[index].count)
      request.acceptableIssuers.append(try DistinguishedName(der: der))
    }
    request.signatureSchemes = try unsafe Array(Input.array(schemes, scheme_count))
    return ItemHandle(try handle.vault.identities.choose(for: url, request).item, in: handle)
  }
}

/// Opens an identity; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_open(
  _ item: OpaquePointer?, _ form: vault_identity_form_t,
  _ identity: UnsafeMutablePointer<vault_identity_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    try unsafe open(ItemHandle.at(item), pin: nil, form, required(identity))
  }
}

/// Opens an identity whose key needs a PIN; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_open_with_pin(
  _ item: OpaquePointer?, _ pin: UnsafeRawPointer?, _ count: Int, _ form: vault_identity_form_t,
  _ identity: UnsafeMutablePointer<vault_identity_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let pin = try unsafe Input.secret(required(pin), count)
    try unsafe open(handle, pin: pin, form, required(identity))
  }
}

/// Writes an opened identity to the caller's place.
@unsafe private func open(
  _ handle: ItemHandle, pin: Secret?, _ form: vault_identity_form_t,
  _ place: UnsafeMutablePointer<vault_identity_t>
) throws(VaultError) {
  let (isPEM, hasPEMKey) = try (form.hasPEMCertificates, form == VAULT_IDENTITY_PEM)
  let opened = try handle.vault.vault.identities.open(StoredIdentity(handle.item), pin: pin)
  let text = Secret(copying: certificates(opened.certificate, opened.chain, isPEM: isPEM).span)
  // Both copies are the caller's from here on; if the second fails, the first is freed.
  var copies = unsafe vault_identity_t()
  do throws(VaultError) {
    unsafe copies.certificates = try vault_buffer_t(copying: text)
    unsafe copies.key = try vault_buffer_t(
      copying: hasPEMKey ? opened.key.pem : opened.key.pkcs8)
  } catch {
    unsafe vault_identity_free(&copies)
    throw error
  }
  unsafe place.pointee = copies
}

/// Copies the certificates of an identity; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_copy_certificates(
  _ item: OpaquePointer?, _ form: vault_identity_form_t,
  _ certificates: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(certificates)
    let stored = try StoredIdentity(handle.item)
    let bytes = VaultC.certificates(
      stored.certificate, stored.chain, isPEM: try form.hasPEMCertificates)
    unsafe place.pointee = try vault_buffer_t(copying: Secret(copying: bytes.span))
  }
}

/// Prefers an identity; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_set_preferred(
  _ vault: OpaquePointer?, _ item: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let name = try unsafe Input.text(required(name), count)
    var identity: StoredIdentity?
    // The handle is only looked up.
    if unsafe item != nil { identity = try StoredIdentity(ItemHandle.at(item).item) }
    try handle.vault.identities.setPreferred(identity, for: name)
  }
}

/// Finds a preferred identity; the contract is in `vault_tls.h`.
@c @implementation
public func vault_identity_find_preferred(
  _ vault: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ count: Int,
  _ item: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: item) { () throws(VaultError) in
    let handle = try VaultHandle.at(vault)
    let name = try unsafe Input.text(required(name), count)
    return ItemHandle(try handle.vault.identities.preferred(for: name).item, in: handle)
  }
}

private func certificates(_ leaf: Certificate, _ chain: [Certificate], isPEM: Bool) -> [UInt8] {
  ([leaf] + chain).flatMap { isPEM ? Array($0.pem.utf8) : $0.der }
}

extension vault_identity_form_t {
  /// Whether certificates are PEM in the form.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a form that does not exist.
  fileprivate var hasPEMCertificates: Bool {
    get throws(VaultError) {
      switch self {
      case VAULT_IDENTITY_DER: return false
      case VAULT_IDENTITY_PEM, VAULT_IDENTITY_PEM_AND_DER: return true
      default: throw VaultError(.invalidArgument, "a form that does not exist")
      }
    }
  }
}

extension Input {
  /// Reads the identities of a file.
  ///
  /// - Throws: As `IdentityFile`, and as ``secret(_:_:)``.
  fileprivate static func identities(
    _ file: UnsafeRawPointer?, _ count: Int, _ passphrase: UnsafeRawPointer?,
    _ passphraseCount: Int
  ) throws(VaultError) -> [Identity] {
    // The caller says how long they are; both are read before this returns.
    let file = try unsafe secret(required(file), count)
    let passphrase = try unsafe secret(passphrase, passphraseCount)
    return try IdentityFile(file, passphrase: passphrase).identities
  }

  /// Returns the elements of an array of the caller's, which is read before the call ends.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is NULL and not empty;
  ///   ``VaultError/Code/tooLarge``.
  fileprivate static func array<Element>(
    _ start: UnsafePointer<Element>?, _ count: Int
  ) throws(VaultError) -> UnsafeBufferPointer<Element> {
    // A count of C above `Int.max` is negative here.
    guard count >= 0, count <= most / MemoryLayout<Element>.stride else {
      throw VaultError(.tooLarge, "an array is longer than \(most) bytes")
    }
    guard unsafe start != nil || count == 0 else {
      throw VaultError(.invalidArgument, "an array that is not empty is NULL")
    }
    return unsafe UnsafeBufferPointer(start: start, count: count)
  }
}
