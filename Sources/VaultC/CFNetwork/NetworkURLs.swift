public import CVault
import HTTPAuthentication
import VaultModel

// Each reference is what `vault_cfnetwork.h` says of it; it is looked up, and not kept.

/// Returns the type of URLs; the contract is in `vault_cfnetwork.h`, as for all of these.
@c @implementation
public func VaultCFURLGetTypeID() -> VaultCFTypeID { VaultCFTypeID(HandleKind.url.rawValue) }

/// Makes a URL.
@c @implementation
public func VaultCFURLCreateWithString(
  _ allocator: VaultCFAllocatorRef?, _ text: VaultCFStringRef?, _ base: VaultCFURLRef?
) -> VaultCFURLRef? {
  unsafe created { () throws(VaultError) in
    guard unsafe base == nil, let text = unsafe CFObjects.text(of: UnsafeRawPointer(text)) else {
      return nil
    }
    return try URLHandle(text)
  }
}

/// Copies the scheme.
@c @implementation
public func VaultCFURLCopyScheme(_ url: VaultCFURLRef?) -> VaultCFStringRef? {
  unsafe copied(of: url) { $0.url.origin.protocol.rawValue }
}

/// Copies the host.
@c @implementation
public func VaultCFURLCopyHostName(_ url: VaultCFURLRef?) -> VaultCFStringRef? {
  unsafe copied(of: url) { $0.url.origin.host.name }
}

/// Copies the path.
@c @implementation
public func VaultCFURLCopyPath(_ url: VaultCFURLRef?) -> VaultCFStringRef? {
  unsafe copied(of: url) { String($0.url.target.prefix { $0 != "?" }) }
}

/// Returns the port.
@c @implementation
public func VaultCFURLGetPortNumber(_ url: VaultCFURLRef?) -> Int32 {
  // The reference is only taken apart.
  unsafe URLHandle.find(UnsafeRawPointer(url))?.port.map { Int32($0) } ?? -1
}

/// Copies a part of a URL.
private func copied(
  of url: VaultCFURLRef?, _ part: (URLHandle) -> String
) -> VaultCFStringRef? {
  // The reference is only taken apart.
  unsafe copied { () throws(VaultError) in
    guard let handle = unsafe URLHandle.find(UnsafeRawPointer(url)) else { return nil }
    return try unsafe CFObjects.string(part(handle))
  }
}
