public import FoundationEssentials

/// A UUID.
public typealias CFUUID = UUID

/// Returns a random UUID.
public func CFUUIDCreate(_ allocator: CFAllocator?) -> CFUUID? { UUID() }

/// Returns the UUID of a text of 36 characters; nil for any other text.
public func CFUUIDCreateFromString(_ allocator: CFAllocator?, _ uuidStr: CFString) -> CFUUID? {
  UUID(uuidString: uuidStr)
}

/// Returns the 36 characters of a UUID.
public func CFUUIDCreateString(_ allocator: CFAllocator?, _ uuid: CFUUID) -> CFString? {
  uuid.uuidString
}
