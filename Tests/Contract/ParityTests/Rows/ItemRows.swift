import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// The behaviour of `SecItem` with internet passwords.
enum ItemRows {
  static let rows: [Row] = [
    Row(
      "item.unknown-attribute", .items,
      "One store ignores an unknown attribute, so more items match; the other says errSecNoSuchAttr.",
      by: .native(FindRows.unknownAttribute), .keychain(KeychainFinding.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("no-such-attribute"),
      why: "Deletions stay within a query.",
      except: [.swift: "a query has properties, and no others"]),
    Row(
      "item.attributes", .items,
      "One store matches all attributes, the other fourteen.",
      by: .any(attributes), .keychain(attributesAndDates),
      vault: .differs("All but the dates.", "7 of 7"), compatible: .same("9 of 9"),
      why: "Dates distinguish nothing."),
    Row(
      "item.empty", .items, "Empty matches empty and absent.",
      by: .any { driver in
        try driver.add(.ann.with(.comment, "comment"))
        try driver.add(.bob)
        return try driver.accounts([.comment: ""])
      }, vault: .same("bob"), compatible: .same("bob")),
    Row(
      "item.port.range", .items, "A port above 65535 loses its upper bits.",
      by: .native { _ in try outcome { _ = try Named([.port: "65979"]) } }, .keychain(largePort),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .differs("errSecInvalidValue.", "invalid-value, 8443"),
      why: "65979 is not 443.", except: [.swift: "a port has 16 bits"]),
    Row(
      "item.protocol.unknown", .items,
      "An unknown protocol or type is kept (in one store; 0 in the other).",
      by: .any(unknownProtocols), .keychain(unknownCodes),
      vault: .same("one two"), compatible: .same("one two, 0x78797a31")),
    Row(
      "item.protocol.spelling", .items,
      "A protocol's text and number are two values.",
      by: .vault { driver in
        try driver.add(.ann)
        return seen(try driver.first([.protocol: "htps"]), try driver.first([.protocol: "HTTPS"]))
      },
      .keychain { driver in
        try driver.add(.ann)
        return try [SecItemValue.text("htps"), .text("HTTPS"), .number(0x6874_7073)].map { value in
          try driver.findItem(["ptcl": value, "r_Attributes": true])["acct"].text
        }.joined(separator: ", ")
      },
      vault: .differs("`htps`, `https`, `HTTPS` (and its number) are one.", "ann, ann"),
      compatible: .differs(
        "`htps`, `https`, `HTTPS` (and its number) are one.", "ann, ann, ann"),
      why: "They name one protocol."),
    Row(
      "item.limit.default", .items, "Finding returns one item by default.",
      by: .any { driver in
        try FindRows.bothUsers(driver)
        return seen(try driver.first([:]), try driver.accounts())
      }, vault: .same("ann, ann bob"), compatible: .same("ann, ann bob")),
    Row(
      "item.limit", .items, "A limit returns that many, in no order.",
      by: .vault { driver in
        try FindRows.bothUsers(driver)
        return try driver.accounts(driver.findAll([:], [], limit: 1))
      }, .keychain { try SecItemRows.limited($0, [1, 2, "m_LimitAll"]) },
      vault: .differs("The best matches.", "ann"),
      compatible: .differs(
        "One: first by the key; several: those added first.",
        "one 2 2"),
      why: "An order can be relied on."),
    Row(
      "item.limit.zero", .items,
      "Limit 0 finds nothing; −1 is all, or errSecParam.",
      by: .swift { driver in
        try FindRows.bothUsers(driver)
        return try [0, -1, nil].map { "\(try driver.findAll([:], [], limit: $0).count)" }
          .joined(separator: " ")
      }, .keychain { try SecItemRows.limited($0, [0, -1, -2]) },
      vault: .differs("0 or less finds nothing, nil all.", "0 0 2"),
      compatible: .differs(
        "−1 is all, less errSecParam.", "item-not-found 2 invalid-argument"),
      why: "One value, one meaning.",
      except: [.native: "0 means no limit"]),
    Row(
      "item.secrets", .items,
      "All items with secrets can be asked for (in one store; errSecParam in the other).",
      by: .any(secrets), vault: .same("one two"), compatible: .same("one two")),
    Row(
      "item.attributes-alone", .items, "Listing attributes opens no secret.",
      by: .swift { driver in
        try driver.add(.ann)
        let items = try driver.vault.findAll(ItemQuery())
        return items.map { $0.secret == nil ? "\($0.account), no secret" : "a secret" }.joined()
      },
      .keychain { driver in
        try driver.add(.ann)
        let found = try driver.findItem(["r_Attributes": true])
        return seen(
          found["acct"].text, found["v_Data"].type == "nothing" ? "no secret" : "a secret")
      }, vault: .same("ann, no secret"), compatible: .same("ann, no secret"),
      except: [.native: "a secret is either copied or not"]),
    Row(
      "item.subdomains", .items,
      "Subdomains are filtered after the limit, case-sensitively.",
      by: .vault(subdomains),
      .keychain { driver in
        for (account, server) in [("ann", "b.example"), ("bob", "X.a.example")] {
          try driver.addItem(["acct": .text(account), "srvr": .text(server)])
        }
        let query: [String: SecItemValue] = ["m_HostOrSubdomainOfHost": "A.example"]
        return try driver.findItem(query.merging(["r_Attributes": true]) { $1 })["acct"].text
      },
      vault: .differs("Before it, by canonical names.", "ann, ann bob"),
      compatible: .differs("Before it, by canonical names.", "bob"),
      why: "A limit counts matches.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.damaged", .items, "A damaged item is skipped, later deleted.",
      by: .any(damaged),
      vault: .differs(
        "An error (errSecInvalidKeychain); nothing is deleted.", "damaged, unchanged"),
      compatible: .differs(
        "An error (errSecInvalidKeychain); nothing is deleted.", "invalid-keychain, unchanged"),
      why: "“Not found” must be true.",
      except: [.session: "memory has no file to damage"]),
    Row(
      "item.reference-and-attributes", .items,
      "A persistent reference with attributes is errSecParam.",
      by: .vault(referenceAndAttributes),
      .keychain { driver in
        try driver.add(.ann)
        let found = try driver.findItem(["r_PersistentRef": true])
        return try ["ann", "bob"].map { account in
          try attempt {
            try driver.findItem([
              "v_PersistentRef": .reference(found), "acct": .text(account), "r_Attributes": true,
            ])["acct"].text
          }
        }.joined(separator: ", ")
      },
      vault: .differs("Both must match.", "ann, "),
      compatible: .differs("Both must match.", "ann, item-not-found"),
      why: "An identity is an attribute."),
    Row(
      "item.two-stores", .items,
      "Of two stores, one's results are first, its errors hidden.",
      by: .any(bothStores),
      vault: .differs(
        "Session and file have one order; no error is hidden.",
        "ann bob zoe"),
      compatible: .differs(
        "Session and file have one order; no error is hidden.",
        "ann bob zoe"),
      why: "An item's store is no rank.",
      except: [.session: "both stores are used at once"]),
    Row(
      "item.web-credential", .items,
      "Safari searches by server, type form, and account if known.",
      by: .any(webCredential), vault: .same("ann, bob"), compatible: .same("ann, bob")),
    Row(
      "item.extra-data", .items, "An item has six further values.",
      by: .swift(customAttributes), .native(customAttributesInC),
      vault: .differs("64 custom attributes with names.", "red, empty"),
      compatible: .inexpressible("The keychain's tags have no names for them."),
      why: "Programs differ in what belongs to a credential."),

    // Adding
    Row(
      "item.add.label", .items, "SecItemAdd generates no label.",
      by: .any { try $0.read(.label, of: $0.add(.ann)) },
      vault: .differs("The server, else the account.", "git.example.com"),
      compatible: .differs("The server, else the account.", "git.example.com"),
      why: "Lists show it."),
    Row(
      "item.add.locked", .items, "Locked is reported before duplicate.",
      by: .any { driver in
        try driver.add(.ann)
        try driver.lock()
        return try outcome { try driver.add(.ann) }
      }, vault: .same("locked"), compatible: .same("locked"),
      except: [.session: "locking clears the session"]),
    Row(
      "item.add.match", .items, "Adding with a match option succeeds and stores nothing.",
      by: .keychain { driver in
        seen(
          try outcome { try driver.addItem(["acct": "ann", "m_Limit": 1]) },
          try outcome { _ = try driver.findItem(["acct": "ann"]) })
      }, vault: .inexpressible("Adding takes attributes; it has no options for finding."),
      compatible: .differs("errSecParam.", "invalid-argument, item-not-found"),
      why: "Success means stored."),
    Row(
      "item.add.large", .items, "Secrets above 32 KiB are logged.",
      by: .any(largeSecret),
      vault: .differs("1 MiB at most (errSecDataTooLarge).", "1048576, too-large"),
      compatible: .differs("1 MiB at most (errSecDataTooLarge).", "1048576, too-large"),
      why: "A limit can be planned for."),

    // Updating
    Row(
      "item.update.none", .items, "An update without a match is errSecItemNotFound.",
      by: .any { driver in
        try outcome { try driver.modify(driver.find(.ann), [.comment: "new"]) }
      }, vault: .same("item-not-found"), compatible: .same("item-not-found")),
    Row(
      "item.update.several", .items,
      "Several items change in one transaction (in one store).",
      by: .swift(transaction),
      .keychain { driver in
        try FindRows.bothUsers(driver)
        let outcome = try outcome { try driver.updateItem([:], ["acct": "zoe", "icmt": "new"]) }
        let comment = try driver.read(.comment, of: driver.find(.ann))
        return seen(outcome, try driver.accounts(), "“\(comment)”")
      },
      vault: .same("duplicate-item, ann bob, “”"),
      compatible: .same("duplicate-item, ann bob, “”"),
      except: [
        .native: "each call changes one item", .session: "transactions are the file's",
      ]),
    Row(
      "item.update.date", .items,
      "Each change's date is later than the last.",
      by: .vault(revisions),
      vault: .differs(
        "Its revision is; dates are the clock's.", "1 date, 3 revisions"
      ),
      compatible: .inexpressible("There is no attribute for a revision."),
      why: "No date is invented."),
    Row(
      "item.upsert", .items, "Nothing adds or changes in one step.",
      by: .vault(upsert),
      vault: .differs(
        "`upsert`, which keeps attributes that the new item lacks.", "ok, two, comment, 1"),
      compatible: .inexpressible("Find, then modify or add, as with the keychain."),
      why: "Others come between two steps."),
    Row(
      "item.upsert.port", .items, "A key is taken literally.",
      by: .vault(upsertOtherPort),
      vault: .differs(
        "`upsert` takes an unset port and the default one as one.", "two, 1, 2"),
      compatible: .inexpressible("Adding and changing take a key literally; there is no `upsert`."),
      why: "`https://host` is `https://host:443`."),

    // Deleting
    Row(
      "item.delete", .items,
      "One store deletes all matches, one the first; none is errSecItemNotFound.",
      by: .vault(removeAll), .keychain(deleteAll),
      vault: .differs(
        "`removeAll` deletes all and returns how many, also 0.", "2, zoe, 0"),
      compatible: .differs(
        "All.", "ok, item-not-found, item-not-found, ok, item-not-found"),
      why: "A function does one thing.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.delete.one", .items,
      "Deleting one of several deletes any.",
      by: .swift(removeUnique), .keychain(deleteOne),
      vault: .differs(
        "`removeUnique` fails.", "ambiguous, ann bob, ann"),
      compatible: .differs(
        "With limit 1, the first by the key.", "ok, item-not-found, ok"),
      why: "Nothing is deleted by chance.",
      except: [
        .native: "vault_find_unique() finds it, and vault_remove() deletes it",
        .keychainSession: AddRows.addsPermanently,
      ]),
    Row(
      "item.delete.everything", .items,
      "A class alone deletes everything, or one item.",
      by: .native { driver in
        try FindRows.bothUsers(driver)
        return seen(
          try outcome { _ = try driver.removeAll([:]) }, "\(try driver.count([:]))")
      }, .keychain(deleteEverything),
      vault: .differs("Native C: an invalid argument.", "invalid-argument, 2"),
      compatible: .differs("Everything.", "ok, item-not-found"),
      why: "An empty query may be a mistake.",
      except: [
        .swift: "an empty query is written out, and deletes all",
        .keychainSession: AddRows.addsPermanently,
      ]),
  ]
}
