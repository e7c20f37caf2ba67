public import CVault
import KeychainServices
import VaultModel

// Each reference is what `vault_keychain.h` says of it; it is looked up, and not kept. Places are
// written last.

/// Returns the type of access lists; the contract is in `vault_keychain.h`, as for all of these.
@c @implementation
public func VaultAccessGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.access.rawValue) }

/// Returns the type of the programs of access lists.
@c @implementation
public func VaultTrustedApplicationGetTypeID() -> VaultCFTypeID {
  VaultCFTypeID(HandleKind.trustedApplication.rawValue)
}

/// Creates an access list.
@c @implementation
public func VaultAccessCreate(
  _ name: VaultCFStringRef?, _ applications: VaultCFArrayRef?,
  _ access: UnsafeMutablePointer<VaultAccessRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(access)
    // The string is the caller's; its type is looked up.
    guard unsafe CFObjects.text(of: UnsafeRawPointer(name)) != nil else {
      throw VaultError(.invalidArgument, "an access list has a name")
    }
    // NULL stands for the program that calls.
    let count =
      unsafe applications == nil
      ? 1 : try CFObjects.handles(of: applications, TrustedApplicationHandle.self).count
    unsafe place.pointee = AccessHandle(asksEachTime: count == 0).givenOut()
  }
}

/// Creates a program of an access list.
@c @implementation
public func VaultTrustedApplicationCreateFromPath(
  _ path: UnsafePointer<CChar>?, _ application: UnsafeMutablePointer<VaultTrustedApplicationRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(application)
    unsafe place.pointee = TrustedApplicationHandle().givenOut()
  }
}

/// An access list, of which a vault only needs to know whether a person is asked each time.
final class AccessHandle: Handle, @unchecked Sendable {
  // Immutable.
  let asksEachTime: Bool

  init(asksEachTime: Bool) {
    self.asksEachTime = asksEachTime
  }
}

/// A program of an access list; which one has no effect.
final class TrustedApplicationHandle: Handle, @unchecked Sendable {}

extension Keychain {
  /// Checks that an access list for a vault, if one is given, promises nothing that it cannot keep.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` for one that asks a person each time;
  ///   ``VaultError/Code/invalidArgument`` for a reference to something else.
  @safe static func check(_ access: VaultAccessRef?) throws(VaultError) {
    guard try asksEachTime(access) != true else {
      throw VaultError(.unsupported, "a vault asks nobody when it is opened")
    }
  }

  /// Returns whether a person is asked for each use of an item; nil without an access list.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a reference to something else.
  @safe static func asksEachTime(_ access: VaultAccessRef?) throws(VaultError) -> Bool? {
    // The reference is only taken apart.
    guard unsafe access != nil else { return nil }
    return try AccessHandle.at(access).asksEachTime
  }
}
