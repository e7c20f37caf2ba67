public import CVault
import CredentialVault
import KeychainServices
import TLSCredentials

/// Returns the type of vaults; the contract is in `vault_keychain_vaults.h`, as for the next two.
@c @implementation
public func VaultGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.vault.rawValue) }

/// Returns the type of items.
@c @implementation
public func VaultItemGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.item.rawValue) }

/// Returns the type of searches.
@c @implementation
public func VaultSearchGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.search.rawValue) }

/// The kinds of handles among the types of objects, as `object.h` numbers them.
enum HandleKind: UInt8 {
  case none = 0
  case vault = 8
  case item = 9
  case search = 10
  case list = 11
  case url = 12
  case message = 13
  case authentication = 14
  case stream = 15
  case certificate = 16
  case identity = 17
  case policy = 18
  case trust = 19
  case error = 20
  // 21 to 23 are objects of C.
  case key = 24
  case access = 25
  case trustedApplication = 26
}

// Called by the C part of the library, which does not export these functions.

/// Returns the kind of a valid handle; else 0.
@c(cvault_handle_kind)
public func handleKind(_ handle: UnsafeRawPointer?) -> UInt8 {
  // The reference is only taken apart.
  let kind: HandleKind =
    switch Handle.any(handle) {
    case is VaultHandle, is UnopenedVault: .vault
    case is ItemHandle: .item
    case is SearchHandle: .search
    case is VaultListHandle: .list
    case is URLHandle: .url
    case is MessageHandle: .message
    case is AuthenticationHandle: .authentication
    case is StreamHandle: .stream
    case is CertificateHandle: .certificate
    case is IdentityHandle: .identity
    case is PolicyHandle: .policy
    case is TrustHandle: .trust
    case is ErrorHandle: .error
    case is KeyHandle: .key
    case is AccessHandle: .access
    case is TrustedApplicationHandle: .trustedApplication
    default: .none
    }
  return kind.rawValue
}

/// Returns whether two handles are of one item, of one vault, of one certificate's bytes, or of
/// one key.
@c(cvault_handles_are_equal)
public func handlesAreEqual(_ first: UnsafeRawPointer?, _ second: UnsafeRawPointer?) -> Bool {
  // The references are only taken apart.
  switch (Handle.any(first), Handle.any(second)) {
  case (let first as ItemHandle, let second as ItemHandle):
    first.item.id == second.item.id
  case (let first as VaultHandle, let second as VaultHandle):
    first.vault === second.vault
      || (first.vault.path != nil && first.vault.path == second.vault.path)
  case (let first as CertificateHandle, let second as CertificateHandle):
    first.certificate == second.certificate
  case (let first as KeyHandle, let second as KeyHandle): first.key == second.key
  default: unsafe first == second
  }
}

/// Returns a number that equal handles share.
@c(cvault_handle_hash)
public func handleHash(_ handle: UnsafeRawPointer?) -> UInt64 {
  // The reference is only taken apart.
  switch Handle.any(handle) {
  case let item as ItemHandle: UInt64(bitPattern: Int64(item.item.id.hashValue))
  case is VaultHandle: 1
  case let certificate as CertificateHandle:
    UInt64(bitPattern: Int64(certificate.certificate.hashValue))
  case let key as KeyHandle: UInt64(bitPattern: Int64(key.key.hashValue))
  default: UInt64(UInt(bitPattern: handle))
  }
}

/// Returns the number of a handle's owners; 0 if it is not valid.
@c(cvault_handle_owners)
public func handleOwners(_ handle: UnsafeRawPointer?) -> Int64 {
  // The reference is only taken apart.
  guard !HomeProcess.wasLeft, let token = HandleRegistry.Token(UInt(bitPattern: handle)) else {
    return 0
  }
  return Int64(HandleRegistry.owners(token))
}

/// Returns the meaning of a status; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultCopyErrorString(
  _ status: Int32, _ reserved: UnsafeMutableRawPointer?
) -> VaultCFStringRef? {
  // The message is a constant that is never freed.
  unsafe VaultCFConstantString(VaultCopyErrorMessageString(status, nil))
}
