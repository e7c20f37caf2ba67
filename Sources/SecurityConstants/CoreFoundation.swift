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
/// A dictionary of any keys and values; the keys of all keychain dictionaries are texts.
///
/// `as CFDictionary` takes each dictionary of Swift's, also one whose keys are optional.
public typealias CFDictionary = [AnyHashable: Any]
/// Any value, in an object: `as? Data`, `as? [String: Any]` and the like take it out again.
public typealias CFTypeRef = AnyObject
/// A status: 0 for success, else one of the `errSec` constants.
public typealias OSStatus = Int32

/// Bits that are options.
public typealias CFOptionFlags = UInt

/// The source of memory, which is always the default one.
public final class CFAllocator: Sendable {
  fileprivate init() {}
}

/// A number, such as of elements.
public typealias CFIndex = Int

/// The one object for no value.
public final class CFNull: Sendable {
  fileprivate init() {}
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The default source of memory.
public let kCFAllocatorDefault: CFAllocator! = nil
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The source of memory that frees nothing.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// No value.
public let kCFNull: CFNull! = CFNull()

/// The status of success.
public let noErr: OSStatus = 0

// Implicitly unwrapped, because code for Apple's systems writes `kCFBooleanTrue!`.
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// True.
public let kCFBooleanTrue: CFBoolean! = true
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// False.
public let kCFBooleanFalse: CFBoolean! = false
