import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// The behaviour of `SecItem` with internet passwords.
enum ItemRows {
  static let rows: [Row] = [
    Row(
      "item.unknown-attribute", .items,
      "An unknown attribute is errSecNoSuchAttr in one store; the other ignores it, so more items match.",
      by: .native(FindRows.unknownAttribute), .keychain(KeychainFinding.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("no-such-attribute"),
      why: "A deletion must not go beyond its query.",
      except: [.swift: "a query has properties, and no others"]),
    Row(
      "item.attributes", .items,
      "All attributes are matched in one store, fourteen in the other.",
      by: .any(attributes), .keychain(attributesAndDates),
      vault: .differs("All but the dates.", "7 of 7"), compatible: .same("9 of 9"),
      why: "Dates do not distinguish items."),
    Row(
      "item.empty", .items, "Empty text matches empty and absent values.",
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
      why: "65979 is not another way to write 443.", except: [.swift: "a port has 16 bits"]),
    Row(
      "item.protocol.unknown", .items,
      "One store keeps an unknown protocol or type; in the other it becomes 0, which merges services.",
      by: .any(unknownProtocols), .keychain(unknownCodes),
      vault: .same("one two"), compatible: .same("one two, 0x78797a31")),
    Row(
      "item.protocol.spelling", .items,
      "A protocol as text and the same protocol as a number are two values.",
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
      vault: .differs("`htps`, `https` and `HTTPS` are the same.", "ann, ann"),
      compatible: .differs(
        "`htps`, `https`, `HTTPS` and the number are the same.", "ann, ann, ann"),
      why: "They name the same protocol."),
    Row(
      "item.limit.default", .items, "Finding returns one item unless more are requested.",
      by: .any { driver in
        try FindRows.bothUsers(driver)
        return seen(try driver.first([:]), try driver.accounts())
      }, vault: .same("ann, ann bob"), compatible: .same("ann, ann bob")),
    Row(
      "item.limit", .items, "A limit returns that many, in no defined order.",
      by: .vault { driver in
        try FindRows.bothUsers(driver)
        return try driver.accounts(driver.findAll([:], [], limit: 1))
      }, .keychain { try SecItemRows.limited($0, [1, 2, "m_LimitAll"]) },
      vault: .differs("The best matches.", "ann"),
      compatible: .differs(
        "One is the first in the order of the key; several are those that were added first.",
        "one 2 2"),
      why: "See `find.order`."),
    Row(
      "item.limit.zero", .items,
      "The limit 0 finds nothing; −1 means all in one store, and is errSecParam in the other.",
      by: .swift { driver in
        try FindRows.bothUsers(driver)
        return try [0, -1, nil].map { "\(try driver.findAll([:], [], limit: $0).count)" }
          .joined(separator: " ")
      }, .keychain { try SecItemRows.limited($0, [0, -1, -2]) },
      vault: .differs("0 or less finds nothing, and nil is all.", "0 0 2"),
      compatible: .differs(
        "−1 is all, and less is errSecParam.", "item-not-found 2 invalid-argument"),
      why: "One value has one meaning.",
      except: [.native: "0 means no limit"]),
    Row(
      "item.secrets", .items,
      "One store returns all items with their secrets; in the other this is errSecParam.",
      by: .any(secrets), vault: .same("one two"), compatible: .same("one two")),
    Row(
      "item.attributes-alone", .items, "Attributes can be listed without opening a secret.",
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
      "Subdomains are filtered after the limit, so that some may be missed, and case-sensitively.",
      by: .vault(subdomains),
      .keychain { driver in
        for (account, server) in [("ann", "b.example"), ("bob", "X.a.example")] {
          try driver.addItem(["acct": .text(account), "srvr": .text(server)])
        }
        let query: [String: SecItemValue] = ["m_HostOrSubdomainOfHost": "A.example"]
        return try driver.findItem(query.merging(["r_Attributes": true]) { $1 })["acct"].text
      },
      vault: .differs("Before the limit, by canonical names.", "ann, ann bob"),
      compatible: .differs("Before the limit, by canonical names.", "bob"),
      why: "A limit applies to matches.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.damaged", .items, "A corrupt item is skipped, and deleted later.",
      by: .any(damaged),
      vault: .differs("Damage is an error, and nothing is deleted.", "damaged, unchanged"),
      compatible: .differs(
        "errSecInvalidKeychain, and nothing is deleted.", "invalid-keychain, unchanged"),
      why: "“Not found” must be true; `vaultctl salvage` recovers what it can.",
      except: [.session: "memory has no file to damage"]),
    Row(
      "item.reference-and-attributes", .items,
      "A persistent reference and attributes in one query are errSecParam.",
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
      why: "An identity is an ordinary attribute."),
    Row(
      "item.two-stores", .items,
      "Both stores are searched, the results of one come first, and its error is hidden if the other found something.",
      by: .any(bothStores),
      vault: .differs(
        "Session and file are searched, their items have one order, and no error is hidden.",
        "ann bob zoe"),
      compatible: .differs(
        "Session and file are searched, their items have one order, and no error is hidden.",
        "ann bob zoe"),
      why: "An item's store says nothing about how well it matches.",
      except: [.session: "both stores are used at once"]),
    Row(
      "item.web-credential", .items,
      "Safari searches by server and the type form, and by account if it is known.",
      by: .any(webCredential), vault: .same("ann, bob"), compatible: .same("ann, bob")),
    Row(
      "item.extra-data", .items, "An item can store six further values, encrypted.",
      by: .swift(customAttributes), .native(customAttributesInC),
      vault: .differs("Up to 64 custom attributes with names, sealed.", "red, empty"),
      compatible: .inexpressible("The keychain's tags have no names for them."),
      why: "Programs differ in what belongs to a credential."),

    // Adding
    Row(
      "item.add.label", .items, "No label is generated.",
      by: .any { try $0.read(.label, of: $0.add(.ann)) },
      vault: .differs("The label is the server, or else the account.", "git.example.com"),
      compatible: .differs("The label is the server, or else the account.", "git.example.com"),
      why: "`SecKeychainAddInternetPassword` generates one, which lists show."),
    Row(
      "item.add.locked", .items, "Locked is reported before duplicate.",
      by: .any { driver in
        try driver.add(.ann)
        try driver.lock()
        return try outcome { try driver.add(.ann) }
      }, vault: .same("locked"), compatible: .same("locked"),
      except: [.session: "locking clears the session"]),
    Row(
      "item.add.match", .items, "Adding with a match option reports success and stores nothing.",
      by: .keychain { driver in
        seen(
          try outcome { try driver.addItem(["acct": "ann", "m_Limit": 1]) },
          try outcome { _ = try driver.findItem(["acct": "ann"]) })
      }, vault: .inexpressible("Adding takes attributes; it has no options for finding."),
      compatible: .differs("errSecParam.", "invalid-argument, item-not-found"),
      why: "Success would mean that it is stored."),
    Row(
      "item.add.large", .items, "A secret above 32 KiB is logged.",
      by: .any(largeSecret),
      vault: .differs("Up to 1 MiB; more is an error.", "1048576, too-large"),
      compatible: .differs("Up to 1 MiB; more is errSecDataTooLarge.", "1048576, too-large"),
      why: "A known limit can be planned for."),

    // Updating
    Row(
      "item.update.none", .items, "Updating without a match is errSecItemNotFound.",
      by: .any { driver in
        try outcome { try driver.modify(driver.find(.ann), [.comment: "new"]) }
      }, vault: .same("item-not-found"), compatible: .same("item-not-found")),
    Row(
      "item.update.several", .items,
      "Several items change in one transaction in one store, one by one in the other, where a failure may be hidden.",
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
      "A change's date is later than the last, by a millisecond if necessary.",
      by: .vault(revisions),
      vault: .differs(
        "The revision increases with each change; dates come from the clock.", "1 date, 3 revisions"
      ),
      compatible: .inexpressible("There is no attribute for a revision."),
      why: "An invented date is not a date."),
    Row(
      "item.upsert", .items, "There is no way to add or change an item in one step.",
      by: .vault(upsert),
      vault: .differs(
        "`upsert` does this, and keeps attributes that the new item lacks.", "ok, two, comment, 1"),
      compatible: .inexpressible("Find, then modify or add, as with the keychain."),
      why: "Another program may add it between two steps."),
    Row(
      "item.upsert.port", .items, "Adding and changing take a key literally.",
      by: .vault(upsertOtherPort),
      vault: .differs(
        "Adding and changing take a key literally; `upsert` changes the item of the same place,"
          + " whether its port is unset or the protocol's default.", "two, 1, 2"),
      compatible: .inexpressible("Adding and changing take a key literally; there is no `upsert`."),
      why: "`https://host` and `https://host:443` are the same place."),

    // Deleting
    Row(
      "item.delete", .items,
      "One store deletes all matches, the other only the first; no match is errSecItemNotFound.",
      by: .vault(removeAll), .keychain(deleteAll),
      vault: .differs(
        "`removeAll` deletes all and returns how many; 0 is not an error.", "2, zoe, 0"),
      compatible: .differs(
        "`SecItemDelete` deletes all.", "ok, item-not-found, item-not-found, ok, item-not-found"),
      why: "One function deletes all, another deletes one;"
        + " no function does either by circumstance.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "item.delete.one", .items,
      "Deleting one item when several match deletes any of them.",
      by: .swift(removeUnique), .keychain(deleteOne),
      vault: .differs(
        "`removeUnique` then fails and deletes nothing.", "ambiguous, ann bob, ann"),
      compatible: .differs(
        "With the limit 1, the first in the order of the key.", "ok, item-not-found, ok"),
      why: "Nothing is deleted by chance.",
      except: [
        .native: "vault_find_unique() finds it, and vault_remove() deletes it",
        .keychainSession: AddRows.addsPermanently,
      ]),
    Row(
      "item.delete.everything", .items,
      "A query with only a class deletes everything in one store, one item in the other.",
      by: .native { driver in
        try FindRows.bothUsers(driver)
        return seen(
          try outcome { _ = try driver.removeAll([:]) }, "\(try driver.count([:]))")
      }, .keychain(deleteEverything),
      vault: .differs("In C, an invalid argument.", "invalid-argument, 2"),
      compatible: .differs("It deletes everything.", "ok, item-not-found"),
      why: "A query that is empty by mistake must not empty the vault;"
        + " Apple's own names do what they do there.",
      except: [
        .swift: "an empty query is written out, and deletes all",
        .keychainSession: AddRows.addsPermanently,
      ]),
  ]
}
