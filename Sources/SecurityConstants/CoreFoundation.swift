public import FoundationEssentials

// The names of CoreFoundation that code for the keychain writes, as the Swift types to which
// Apple's own are bridged: `query as CFDictionary` and `kSecClass as String` then convert nothing.

/// A text.
public typealias CFString = String
/// Bytes.
public typealias CFData = Data
/// A time.
public typealias CFDate = Date
/// A flag.
public typealias CFBoolean = Bool
/// An array of any values.
public typealias CFArray = [Any]
/// A dictionary of any values; the keys of all keychain dictionaries are texts.
public typealias CFDictionary = [String: Any]
/// Any value, in an object: `as? Data`, `as? [String: Any]` and the like take it out again.
public typealias CFTypeRef = AnyObject
/// A status: 0 for success, else one of the `errSec` constants.
public typealias OSStatus = Int32

/// Bits that are options.
public typealias CFOptionFlags = UInt

/// The source of memory, which is always the default one.
public final class CFAllocator: Sendable {
  private init() {}
}

/// A number, such as of elements.
public typealias CFIndex = Int

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

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The default source of memory.
public let kCFAllocatorDefault: CFAllocator! = nil

/// The status of success.
public let noErr: OSStatus = 0

// Implicitly unwrapped, because code for Apple's systems writes `kCFBooleanTrue!`.
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// True.
public let kCFBooleanTrue: CFBoolean! = true
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// False.
public let kCFBooleanFalse: CFBoolean! = false
