import CVault
import Glibc

/// Behaviour of finding that only pointers show.
enum KeychainFinding {
  static func pathLength(_ driver: KeychainDriver) throws -> String {
    try driver.add(.ann)
    try driver.add(.bob.with(.path, "/team/repository"))
    return try attempt {
      var item: OpaquePointer?
      // The path is longer than its length says.
      try check(
        unsafe VaultFindInternetPassword(
          UnsafeRawPointer(driver.vault), 0, nil, 0, nil, 0, nil, 5, "/team/repository", 0, 0, 0,
          nil, nil, &item))
      return try driver.read(.account, of: unsafe KeychainDriver.ItemReference(item))
    }
  }

  static func namedTwice(_ driver: KeychainDriver) throws -> String {
    try FindRows.bothUsers(driver)
    let tag = Attribute.account.tag
    return try attempt {
      let twice = [(tag, Array("ann".utf8)), (tag, Array("bob".utf8))]
      return try driver.read(.account, of: driver.search(AttributeList(twice)).next())
    }
  }

  static func untouched(_ driver: KeychainDriver) throws -> String {
    var length: UInt32 = 77
    var byte: UInt8 = 1
    // Stands for whatever was there before; nothing reads through it.
    return try unsafe withUnsafeMutablePointer(to: &byte) { before in
      var data: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(before)
      var item: OpaquePointer? = OpaquePointer(before)
      let outcome = try outcome {
        try check(
          unsafe VaultFindInternetPassword(
            UnsafeRawPointer(driver.vault), 0, nil, 0, nil, 3, "ann", 0, nil, 0, 0, 0, &length,
            &data, &item))
      }
      let isSame =
        unsafe length == 77 && data == UnsafeMutableRawPointer(before)
        && item == OpaquePointer(before)
      return seen(outcome, isSame ? "untouched" : "touched")
    }
  }

  static func secretOptional(_ driver: KeychainDriver) throws -> String {
    try driver.add(.ann)
    return seen(try driver.first(.ann), try driver.findSecret("ann").text)
  }

  static func lengthAlone(_ driver: KeychainDriver) throws -> String {
    try driver.add(.ann)
    var length: UInt32 = 0
    try check(
      unsafe VaultFindInternetPassword(
        UnsafeRawPointer(driver.vault), 0, nil, 0, nil, 3, "ann", 0, nil, 0, 0, 0, &length, nil,
        nil))
    return "\(length)"
  }

  static func emptySecret(_ driver: KeychainDriver) throws -> String {
    try driver.add(.ann, secret: "")
    return "\(try driver.findSecret("ann").length)"
  }

  static func counted(_ driver: KeychainDriver) throws -> String {
    try driver.add(.ann)
    let item = try driver.find(.ann)
    // Counted once more and once less, it is still the reference's.
    try driver.with(item) { unsafe VaultItemRelease(VaultItemRetain($0)) }
    return seen(
      try driver.read(.account, of: item),
      try outcome {
        try check(
          unsafe VaultFindInternetPassword(
            UnsafeRawPointer(driver.vault), 0, nil, 0, nil, 3, "ann", 0, nil, 0, 0, 0, nil, nil,
            nil))
      })
  }

  // MARK: Vaults

  static func defaultVault(_ driver: KeychainDriver) throws -> String {
    driver.place.becomeDefault()
    let second = try KeychainDriver(driver.store)
    try second.add(.ann)
    try driver.add(.bob)
    let none = unsafe CFObject.array([])
    let both = unsafe CFObject.array([driver.vault, second.vault])
    try both.use { try check(unsafe VaultSetSearchList(OpaquePointer($0))) }
    // NULL is the list, and without one the default vault.
    let inList = try unsafe driver.first(.ann, in: nil)
    try none.use { try check(unsafe VaultSetSearchList(OpaquePointer($0))) }
    return seen(
      inList, try unsafe driver.first(.ann, in: nil), try unsafe driver.first(.bob, in: nil))
  }

  static func list(_ driver: KeychainDriver) throws -> String {
    let other = try KeychainDriver(driver.store)
    try driver.add(.ann.with(.comment, "own"))
    try other.add(.ann.with(.comment, "other"))
    return seen(
      try first(driver, other) { try driver.read(.comment, of: $0) },
      try first(other, driver) { try driver.read(.comment, of: $0) })
  }

  static func lockedInList(_ driver: KeychainDriver) throws -> String {
    let other = try KeychainDriver(driver.store)
    try driver.add(.ann)
    try other.lock()
    return try first(other, driver) { try driver.read(.account, of: $0) }
  }

  static func notAVault(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    return try driver.with(item) { try unsafe driver.first(.ann, in: UnsafeRawPointer($0)) }
  }

  /// Returns the first item of both vaults in this order, or the error.
  private static func first(
    _ one: KeychainDriver, _ other: KeychainDriver, _ read: (Reference) throws -> String
  ) throws -> String {
    let list = try unsafe CVaultList([one.vault, other.vault])
    return try list.with { list in try attempt { try read(unsafe one.find(.ann, in: list)) } }
  }

  // MARK: Searches

  static func foreignTag(_ driver: KeychainDriver) throws -> String {
    try outcome {
      let service = AttributeList([(Codes.code(kVaultServiceItemAttr), Array("ftp".utf8))])
      _ = try driver.search(service)
    }
  }

  static func otherClass(_ driver: KeychainDriver) throws -> String {
    try outcome {
      // 'ashp', a password of an AppleShare volume.
      _ = try driver.search(AttributeList([]), class: 0x6173_6870)
    }
  }

  static func noPlace(_ driver: KeychainDriver) throws -> String {
    try outcome {
      try check(
        unsafe VaultSearchCreateFromAttributes(
          UnsafeRawPointer(driver.vault), Codes.code(kVaultInternetPasswordItemClass), nil, nil))
    }
  }

  static func end(_ driver: KeychainDriver) throws -> String {
    try driver.add(.ann)
    let search = try driver.search(.ann)
    func next() throws -> String {
      try attempt { try driver.read(.account, of: search.next()) }
    }
    return seen(try next(), try next(), try next())
  }

  static func snapshot(_ driver: KeychainDriver) throws -> String {
    try FindRows.bothUsers(driver)
    try driver.add(.ann.with(.account, "eve"))
    let search = try driver.search([:])
    var found = [try search.next()]
    try driver.remove(driver.find(.bob))
    try driver.add(.ann.with(.account, "zoe"))
    while let item = try search.nextIfAny() { found.append(item) }
    return try driver.accounts(found)
  }

  /// Changes what holds for the whole process, so it needs one of its own.
  static func lockedWithoutPrompt(_ driver: KeychainDriver) throws -> String {
    try driver.add(.ann)
    try driver.lock()
    VaultSetUserInteractionAllowed(0)
    let read = try attempt { try driver.findSecret("ann").text }
    // Without a password, and without a key in the environment.
    let unlocked = try outcome { try check(unsafe VaultUnlock(driver.vault, 0, nil, 0)) }
    VaultSetUserInteractionAllowed(1)
    return seen(seen(read, unlocked), try attempt { try driver.findSecret("ann").text })
  }
}

/// A list of vaults, which is released with this.
@safe final class CVaultList {
  private let handle: OpaquePointer?

  init(_ vaults: [OpaquePointer?]) throws {
    var list: OpaquePointer?
    // The array lives during the call, and has as many vaults as it says.
    let status = unsafe vaults.withUnsafeBufferPointer { vaults in
      unsafe VaultListCreate(vaults.baseAddress, UInt32(vaults.count), &list)
    }
    unsafe handle = unsafe list
    try check(status)
  }

  deinit { unsafe VaultRelease(UnsafeRawPointer(handle)) }

  /// Calls `body` with the list, which is good until it returns.
  @safe func with<R>(_ body: (UnsafeRawPointer?) throws -> R) rethrows -> R {
    try unsafe body(UnsafeRawPointer(handle))
  }
}
