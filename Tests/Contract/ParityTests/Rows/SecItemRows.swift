import CVault
import CredentialVault
import Glibc
import TestSupport

/// The behaviour of SecItem by its own functions.
enum SecItemRows {
  static let rows: [Row] = [
    Row(
      "item.class", .items, "A query without a class is errSecParam.",
      by: .keychain { driver in
        try outcome { _ = try driver.findItem(["acct": "ann"], isBare: true) }
      }, vault: .inexpressible("A query has no dictionary; without a class it finds both."),
      compatible: .same("invalid-argument")),
    Row(
      "item.coercion", .items,
      "Text, data and numbers are partly interchangeable.",
      by: .keychain { driver in
        try driver.add(.ann.with(.port, "8443"))
        return try [["acct": .data(Array("ann".utf8))], ["port": "8443"], ["acct": 7]].map {
          query in try outcome { _ = try driver.findItem(query) }
        }.joined(separator: ", ")
      }, vault: .inexpressible("Each attribute has one type."),
      compatible: .same("ok, ok, invalid-argument")),
    Row(
      "item.result", .items, "Flags determine a result's type.",
      by: .keychain { driver in
        try driver.add(.ann)
        let flags: [[String: SecItemValue]] = [
          ["r_Data": true], ["r_Attributes": true], ["r_Ref": true], ["r_PersistentRef": true],
          ["r_Ref": true, "r_Data": true], ["r_Data": true, "m_Limit": "m_LimitAll"], [:],
        ]
        return try flags.map { try driver.findItem($0).type }.joined(separator: " ")
      }, vault: .inexpressible("Each function has one result type."),
      compatible: .same(
        "CFData CFDictionary SecKeychainItem CFData CFDictionary CFArray nothing")),
    Row(
      "item.result.nowhere", .items,
      "A result without a place is errSecParam.",
      by: .keychain { driver in
        try driver.add(.ann)
        return try ["ann", "bob"].map { account in
          try outcome {
            try SecItemValue.with(["class": "inet", "acct": .text(account), "r_Data": true]) {
              dictionary in
              driver.place.becomeDefault()
              try check(unsafe VaultSecItemCopyMatching(dictionary, nil))
            }
          }
        }.joined(separator: ", ")
      }, vault: .inexpressible("Each function returns its result."),
      compatible: .differs("It succeeds on a match.", "ok, item-not-found"),
      why: "Programs ask so whether an item exists.",
      except: [.keychainSession: IdentityRows.isFile], alone: true),
    Row(
      "item.secret.none", .items, "Without a secret there is no v_Data.",
      by: .keychain { driver in
        try driver.addItem(["acct": "ann", "srvr": "none.example"])
        let found = try driver.findItem(["r_Data": true, "r_Attributes": true, "acct": "ann"])
        return seen(found["v_Data"].type, found["acct"].text)
      }, vault: .inexpressible("An item's secret is nil."),
      compatible: .same("nothing, ann"), except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.secret.empty", .items, "An empty secret is data without bytes.",
      by: .keychain { driver in
        try driver.addItem(["acct": "ann", "srvr": "empty.example", "v_Data": .data([])])
        let found = try driver.findItem(["r_Data": true, "r_Attributes": true, "acct": "ann"])
        return seen(found["v_Data"].type, found["acct"].text)
      }, vault: .inexpressible("An item's secret is empty."),
      compatible: .same("CFData, ann"), except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.references", .items,
      "Updates and deletes reach items by references and lists, also outside the search list.",
      by: .keychain(references), vault: .inexpressible("An item is named by itself."),
      compatible: .same("ok ok gone, ok ok gone, ok ok gone, ok ok gone"),
      except: [.keychainSession: AddRows.addsPermanently], alone: true),
    Row(
      "item.group", .items,
      "Access group and synchronise flag are parts of the key; without the flag, a query means items without it.",
      by: .keychain { driver in
        let item: [String: SecItemValue] = ["acct": "ann", "srvr": "a.example"]
        let parts: [[String: SecItemValue]] = [["agrp": "g"], ["sync": true], [:], ["agrp": "g"]]
        let all = try parts.map { part in
          try outcome { try driver.addItem(item.merging(part) { $1 }) }
        }
        let queries: [[String: SecItemValue]] = [[:], ["agrp": "g"], ["sync": "syna"]]
        let found = try queries.map { query in
          let wanted: [String: SecItemValue] = ["m_Limit": "m_LimitAll", "r_Attributes": true]
          return "\(try driver.findItem(query.merging(wanted) { $1 }).count)"
        }
        return (all + found).joined(separator: " ")
      }, vault: .inexpressible("Custom attributes named `key:…` are parts of an item's key."),
      compatible: .same("ok ok ok duplicate-item 2 1 3"),
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.server", .items, "SecItem's server is any text, compared literally.",
      by: .keychain { driver in
        let texts: [SecItemValue] = ["A.example", "a.example", "no host", "A.example"]
        let all = try texts.map { text in try outcome { try driver.addItem(["srvr": text]) } }
        let found = try driver.findItem(["srvr": "A.example", "r_Attributes": true])
        return (all + [found["srvr"].text]).joined(separator: " ")
      }, vault: .inexpressible("A server is a host, in its canonical form."),
      compatible: .same("ok ok ok duplicate-item A.example"),
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.access", .items,
      "Items have access groups and lists, an owner, a protection class, a flag to synchronise.",
      by: .keychain { driver in
        try driver.addItem(["acct": "ann", "srvr": "a.example", "agrp": "g", "pdmn": "ck"])
        return seen(
          try outcome { _ = try driver.findItem(["agrp": "g", "pdmn": "ck"]) },
          try outcome { _ = try driver.findItem(["agrp": "other"]) },
          try outcome { _ = try driver.findItem(["acls": "list"]) })
      },
      vault: .inexpressible("The holder of a vault's key may use all of it."),
      compatible: .differs(
        "Groups and flag are parts of the key, classes kept, without effect; access lists that name programs are ignored, others keep the secret from programs.",
        "ok, item-not-found, invalid-argument"),
      why: "For less access, use a separate vault.",
      except: [.keychainSession: AddRows.addsPermanently]),
    .foreign(
      "item.locked-row", .items, "One locked item fails a query.",
      because: "A vault is locked as a whole."),
  ]

  /// Changes and removes an item outside the search list by each kind of reference.
  private static func references(_ driver: KeychainDriver) throws -> String {
    let kinds: [(flag: String, key: String, isList: Bool)] = [
      ("r_Ref", "v_Ref", false), ("r_Ref", "m_ItemList", true), ("r_Ref", "u_ItemList", true),
      ("r_PersistentRef", "v_PersistentRef", false),
    ]
    // Neither the search list nor the default vault is the driver's.
    let other = try KeychainDriver(driver.store)
    other.place.becomeDefault()
    defer { withExtendedLifetime(other) {} }
    return try kinds.map { flag, key, isList in
      let reference = SecItemValue.reference(
        try driver.addItem(["acct": .text(key), "srvr": "r.example", flag: true]))
      let query = [key: isList ? SecItemValue.array([reference]) : reference]
      let changed = try outcome { try driver.updateItem(query, ["icmt": "new"], isBare: true) }
      let deleted = try outcome { try driver.deleteItem(query, isBare: true) }
      let left = try outcome { _ = try driver.findItem(["acct": .text(key)]) }
      return [changed, deleted, left == "item-not-found" ? "gone" : left].joined(separator: " ")
    }.joined(separator: ", ")
  }

  // MARK: Limits

  /// Returns the number of results of two items with a limit; 1 is one that is no array.
  static func limited(_ driver: KeychainDriver, _ limits: [SecItemValue]) throws -> String {
    try FindRows.bothUsers(driver)
    return try limits.map { limit in
      try attempt {
        let found = try driver.findItem(["r_Ref": true, "m_Limit": limit])
        return found.type == "CFArray" ? "\(found.count)" : "one"
      }
    }.joined(separator: " ")
  }
}

/// The behaviour of keychains' files by their own functions.
enum KeychainFileRows {
  static let rows: [Row] = [
    Row(
      "status.deleted", .statuses, "A deleted keychain leaves the search list.",
      by: .keychain { driver in
        driver.place.becomeDefault()
        let path = driver.place.folder.file("second")
        var (second, list): (VaultRef?, VaultCFArrayRef?)
        // The places are this function's own, and the texts C strings during the calls.
        try check(unsafe VaultCreate(path, 8, "password", 0, nil, &second))
        let both = unsafe CFObject.array([second, driver.vault])
        let none = unsafe CFObject.array([])
        try both.use { try check(unsafe VaultSetSearchList(OpaquePointer($0))) }
        try check(unsafe VaultDelete(UnsafeRawPointer(second)))
        try check(unsafe VaultCopySearchList(&list))
        let left = unsafe CFObject(UnsafeRawPointer(list)).count
        let found = try unsafe driver.first([.account: "none"], in: nil)
        try none.use { try check(unsafe VaultSetSearchList(OpaquePointer($0))) }
        unsafe VaultRelease(UnsafeRawPointer(second))
        return seen("\(left)", found)
      }, vault: .inexpressible("The object whose function is called is the vault."),
      compatible: .same("1, item-not-found"), except: [.keychainSession: IdentityRows.isFile],
      alone: true),
    Row(
      "status.read-only", .statuses, "A read-only file is opened for reading.",
      by: .keychain { driver in
        let copy = try driver.place.folder.write(
          driver.place.folder.bytes(driver.place.path), as: "copy")
        var (vault, status): (VaultRef?, UInt32) = (nil, 0)
        // The places are this function's own, and the text a C string during the calls.
        guard unsafe chmod(copy, 0o444) == 0 else { return "chmod" }
        let opened = try outcome { try check(unsafe VaultOpen(copy, &vault)) }
        try check(unsafe VaultGetStatus(vault, &status))
        unsafe VaultRelease(UnsafeRawPointer(vault))
        return seen(opened, "\(status & UInt32(kVaultReadPermStatus))")
      }, vault: .inexpressible("A list of vaults says which are only read."),
      compatible: .same("ok, 2"), except: [.keychainSession: IdentityRows.isFile]),
    Row(
      "status.no-password", .statuses, "Unlocking without a password is errSecAuthFailed.",
      by: .keychain { driver in
        try driver.lock()
        return seen(
          try outcome { try check(unsafe VaultUnlock(driver.vault, 0, "", 1)) },
          try outcome { try check(unsafe VaultUnlock(driver.vault, 0, nil, 1)) })
      }, vault: .inexpressible("An empty passphrase is wrong like any other."),
      compatible: .same("authentication-failed, authentication-failed"),
      except: [.keychainSession: IdentityRows.isFile]),
    Row(
      "status.wording", .statuses, "Programs compare some messages.",
      by: .keychain { _ in
        // A static text of the library.
        unsafe VaultCopyErrorMessageString(-25300, nil).map { unsafe String(cString: $0) } ?? ""
      }, vault: .inexpressible("An error is compared by its code."),
      compatible: .same("The specified item could not be found in the keychain.")),
  ]
}
