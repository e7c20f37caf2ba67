import CVault
import KeychainServices
import SecureMemory
import TLSCredentials
import VaultModel

/// A certificate of a C program.
final class CertificateHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let certificate: Certificate

  init(_ certificate: Certificate) {
    self.certificate = certificate
  }
}

/// An identity.
final class IdentityHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let identity: Identity

  init(_ identity: Identity) {
    self.identity = identity
  }
}

/// The host and the use that a chain has to be for.
final class PolicyHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let policy: KeychainTrustPolicy

  init(_ policy: KeychainTrustPolicy) {
    self.policy = policy
  }
}

/// A chain and the results of its evaluation.
final class TrustHandle: Handle, @unchecked Sendable {
  // Each has a lock of its own.
  let trust: KeychainTrust
  /// The certificates that the trust lends as handles: callers do not own what a Get gives them.
  private let lent = Lock<[Certificate: UInt]>([:])

  init(_ trust: KeychainTrust) {
    self.trust = trust
  }

  deinit {
    // Each is a handle of which this owns one reference.
    for handle in lent.withLock({ $0.values.map { $0 } }) {
      unsafe VaultRelease(UnsafeRawPointer(bitPattern: handle))
    }
  }

  /// Returns a certificate's handle, which lives as long as the trust.
  func lend(_ certificate: Certificate) -> OpaquePointer? {
    // Nobody reads through it.
    let handle = lent.withLock { lent in
      let handle =
        lent[certificate] ?? UInt(bitPattern: unsafe CertificateHandle(certificate).givenOut())
      lent[certificate] = handle
      return handle
    }
    return unsafe OpaquePointer(bitPattern: handle)
  }
}

/// A key.
final class KeyHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let key: KeyObject

  init(_ key: KeyObject) {
    self.key = key
  }
}

/// The reasons why a chain is not trusted, or a key could not be used.
final class ErrorHandle: Handle, @unchecked Sendable {
  // Both are immutable.
  let status: Int32
  let text: String

  init(_ status: Int32, _ text: String) {
    self.status = status
    self.text = text
  }
}

extension CFObjects {
  /// Returns the handles of an array, or the one handle.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if one is of another kind, as for NULL.
  @safe static func handles<Kind: Handle>(
    _ object: UnsafeRawPointer?, _ kind: Kind.Type
  ) throws(VaultError) -> [Kind] {
    if let one = Kind.find(object) { return [one] }
    return try handles(of: OpaquePointer(object), kind)
  }

  /// Returns the handles of an array.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else, as for NULL.
  @safe static func handles<Kind: Handle>(
    of array: VaultCFArrayRef?, _ kind: Kind.Type
  ) throws(VaultError) -> [Kind] {
    // The array is the caller's; its type is looked up, and its values are only taken apart.
    guard unsafe VaultCFGetTypeID(UnsafeRawPointer(array)) == VaultCFArrayGetTypeID() else {
      throw VaultError(.invalidArgument, "not an array of handles")
    }
    var handles: [Kind] = []
    for index in 0..<(unsafe VaultCFArrayGetCount(array)) {
      let element = unsafe VaultCFArrayGetValueAtIndex(array, index)
      guard let handle = Kind.find(element) else {
        throw VaultError(.invalidArgument, "a value of another kind in an array")
      }
      handles.append(handle)
    }
    return handles
  }
}
