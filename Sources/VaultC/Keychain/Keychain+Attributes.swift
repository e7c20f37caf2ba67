public import CVault
import Glibc
import VaultModel

/// Returns the tags of a class's attributes; the contract is in `vault_keychain_vaults.h`, as for
/// all of these.
@c @implementation
public func VaultAttributeInfoForItemID(
  _ vault: VaultRef?, _ itemID: UInt32,
  _ info: UnsafeMutablePointer<UnsafeMutablePointer<VaultAttributeInfo>?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(info)
    // The reference is only taken apart. All vaults have the same classes.
    if unsafe vault != nil { _ = try KeychainVaults.known(unsafe UnsafeRawPointer(vault)) }
    let itemClass = try ItemClass(keychain: itemID)
    let entries = itemClass.keychainEntries
    // One block: the structure, then its tags, then their formats; all are aligned for 32 bits.
    let size = unsafe MemoryLayout<VaultAttributeInfo>.stride + entries.count * 8
    guard let block = unsafe calloc(1, size) else {
      throw VaultError(.outOfMemory, "allocate a list of attributes")
    }
    let tags = unsafe (block + MemoryLayout<VaultAttributeInfo>.stride)
      .bindMemory(to: UInt32.self, capacity: entries.count * 2)
    for (index, entry) in entries.enumerated() {
      unsafe tags[index] = entry.tag
      unsafe tags[entries.count + index] = entry.format
    }
    let made = unsafe block.bindMemory(to: VaultAttributeInfo.self, capacity: 1)
    unsafe made.pointee = VaultAttributeInfo(
      count: UInt32(entries.count), tag: tags, format: tags + entries.count)
    unsafe place.pointee = made
  }
}

/// Frees the tags of a class's attributes.
@c @implementation
public func VaultFreeAttributeInfo(_ info: UnsafeMutablePointer<VaultAttributeInfo>?) -> Int32 {
  // The caller gives up the one block of the function above, or NULL.
  unsafe free(info)
  return Int32(errVaultSuccess)
}

/// Returns the version of Apple's interface.
@c @implementation
public func VaultGetVersion(_ version: UnsafeMutablePointer<UInt32>?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(version)
    unsafe place.pointee = 0x0202_8000
  }
}

extension ItemClass {
  /// The tags of the class's attributes, ascending as Apple lists them, with their formats.
  ///
  /// The label and the alias have the numbers of Apple's file.
  fileprivate var keychainEntries: [(tag: UInt32, format: UInt32)] {
    var entries: [(tag: UInt32, format: UInt32)] = [(7, Format.blob), (8, Format.blob)]
    for attribute in Attribute.all where attribute.isOf(self) && attribute != .label {
      guard let code = attribute.keychainCode else { continue }
      let tag = code.utf8.reduce(0) { $0 << 8 | UInt32($1) }
      entries.append((tag, Format.of(attribute)))
    }
    entries.append((UInt32(kVaultScriptCodeItemAttr), Format.signedNumber))
    entries.append((UInt32(kVaultCustomIconItemAttr), Format.signedNumber))
    entries.append((UInt32(kVaultProtectedDataItemAttr), Format.blob))
    return entries.sorted { $0.tag < $1.tag }
  }
}

/// Apple's numbers for the formats of attributes.
private enum Format {
  static let signedNumber: UInt32 = 1
  static let number: UInt32 = 2
  static let date: UInt32 = 5
  static let blob: UInt32 = 6

  static func of(_ attribute: Attribute) -> UInt32 {
    switch attribute.form {
    case .networkProtocol, .port, .code: number
    case .flag: signedNumber
    case .moment, .time: date
    default: blob
    }
  }
}
