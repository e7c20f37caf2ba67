import CVault
import CredentialVault

/// Behaviour of adding that only pointers show.
enum KeychainAdding {
  static func duplicate(_ driver: KeychainDriver) throws -> String {
    let first = try driver.add(.ann)
    let outcome = try outcome {
      // Stands for what was there before; nothing reads through it.
      let before = unsafe OpaquePointer(bitPattern: 16)
      var item = unsafe before
      let status = unsafe add(.ann, to: driver.vault, "two", 3, &item)
      guard unsafe item == before else { throw Refusal(status: "touched") }
      try check(status)
    }
    return seen(outcome, try driver.secret(of: first))
  }

  static func nullSecret(_ driver: KeychainDriver) throws -> String {
    let outcome = try outcome { try check(unsafe add(.ann, to: driver.vault, nil, 3, nil)) }
    return seen(outcome, try driver.first(.ann))
  }

  static func zeroMethod(_ driver: KeychainDriver) throws -> String {
    // 0 is added, absent is looked for.
    try driver.add(.ann.with(.method, ""))
    return try outcome { _ = try driver.search([.method: ""]).next() }
  }

  static func withoutItem(_ driver: KeychainDriver) throws -> String {
    let outcome = try outcome { try check(unsafe add(.ann, to: driver.vault, "one", 3, nil)) }
    return seen(outcome, try driver.first(.ann))
  }

  static func defaultVault(_ driver: KeychainDriver) throws -> String {
    driver.place.becomeDefault()
    // NULL is the default vault.
    try check(unsafe add(.ann, to: nil, "one", 3, nil))
    return try driver.first(.ann)
  }

  static func invalidVault(_ driver: KeychainDriver) throws -> String {
    driver.place.becomeDefault()
    let outcome = try outcome {
      // No handle; it is only compared.
      try check(unsafe add(.ann, to: OpaquePointer(bitPattern: 16), "one", 3, nil))
    }
    return seen(outcome, try driver.first(.ann))
  }

  static func otherVault(_ driver: KeychainDriver) throws -> String {
    let other = try KeychainDriver(driver.store)
    try driver.add(.ann, secret: "own")
    try other.add(.ann, secret: "other")
    func secret(_ one: KeychainDriver, _ two: KeychainDriver) throws -> String {
      try unsafe CVaultList([one.vault, two.vault]).with { list in
        try one.secret(of: unsafe one.find(.ann, in: list))
      }
    }
    return seen(try secret(driver, other), try secret(other, driver))
  }

  private static func add(
    _ attributes: Attributes, to vault: OpaquePointer?, _ secret: String?, _ length: UInt32,
    _ item: UnsafeMutablePointer<OpaquePointer?>?
  ) -> Int32 {
    let key = KeychainDriver.Key(attributes)
    // All texts are valid during the call, each with its length.
    return unsafe VaultAddInternetPassword(
      vault, key.server.count, key.server.text, key.realm.count, key.realm.text, key.account.count,
      key.account.text, key.path.count, key.path.text, key.port, key.protocol, key.method, length,
      secret?.utf8CString.map { $0 }, item)
  }
}
