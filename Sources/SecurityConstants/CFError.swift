/// The reason for which a chain of certificates is not trusted.
public final class CFError: Error, Sendable, CustomStringConvertible {
  /// One of the `errSec` constants.
  let code: CFIndex
  /// The reason in words.
  public let description: String

  /// Creates an error of a status.
  package init(code: CFIndex, description: String) {
    self.code = code
    self.description = description
  }
}

/// Returns the status of an error: one of the `errSec` constants.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }

/// Returns the reason in words.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.description }

/// The name of the numbers that errors have.
public typealias CFErrorDomain = CFString

/// The domain of the `errSec` constants, which is the only one.
public let kCFErrorDomainOSStatus: CFErrorDomain = "NSOSStatusErrorDomain"

/// The key of the reason in words.
public let kCFErrorLocalizedDescriptionKey: CFString = "NSLocalizedDescription"

/// Returns the domain of the status.
public func CFErrorGetDomain(_ error: CFError) -> CFErrorDomain { kCFErrorDomainOSStatus }

/// Returns what is known of an error: its reason in words.
public func CFErrorCopyUserInfo(_ error: CFError) -> CFDictionary {
  [kCFErrorLocalizedDescriptionKey: error.description]
}
