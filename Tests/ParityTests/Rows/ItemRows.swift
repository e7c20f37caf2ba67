import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// The behaviour of `SecItem` with internet passwords.
enum ItemRows {
  static let rows: [Row] = [
    .foreign(
      "item.class", .items, "A query without a class is errSecParam.",
      because: "Items are internet passwords; there is no class to name."),
    .foreign(
      "item.coercion", .items,
      "Text, data and numbers stand for each other, but not everywhere.",
      because: "Each attribute has one type."),
    .foreign(
      "item.result", .items, "The flags of a query say what type its result has.",
      because: "Each function has one type of result."),
    .foreign(
      "item.access", .items,
      "Items have access groups, access lists, an owner, a protection class and a flag to be synchronised.",
      because:
        "Whoever holds a vault's key may use all of it; whoever needs less gets a vault of their own."
    ),
    .foreign(
      "item.locked-row", .items, "One item that is locked fails the whole query.",
      because: "A vault is locked as a whole."),
    Row(
      "item.unknown-attribute", .items,
      "An unknown attribute is errSecNoSuchAttr in the one store; the other ignores it, and more items match.",
      by: .native(FindRows.unknownAttribute), .keychain(KeychainFinding.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("no-such-attribute"),
      why: "A deletion must not reach further than its query.",
      except: [.swift: "a query has properties, and no others"]),
    Row(
      "item.attributes", .items,
      "All attributes take part in a match in the one store, fourteen in the other.",
      by: .any(attributes), .keychain(attributesAndDates),
      vault: .differs("All but the dates.", "7 of 7"), compatible: .same("9 of 9"),
      why: "A date tells no items apart."),
    Row(
      "item.empty", .items, "Empty text matches what is empty or absent.",
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
      why: "65979 is no other way to write 443.", except: [.swift: "a port has 16 bits"]),
    Row(
      "item.protocol.unknown", .items,
      "An unknown protocol or type is kept by the one store; in the other it becomes 0, and services fall together.",
      by: .any(unknownProtocols), .keychain(unknownCodes),
      vault: .same("one two"), compatible: .same("one two, 0x78797a31")),
    Row(
      "item.protocol.spelling", .items, "A protocol as text and as a number are two values.",
      by: .vault { driver in
        try driver.add(.ann)
        return seen(try driver.first([.protocol: "htps"]), try driver.first([.protocol: "HTTPS"]))
      }, vault: .differs("`htps`, `https` and `HTTPS` are one.", "ann, ann"),
      compatible: .inexpressible("Codes are numbers."), why: "They name the same protocol."),
    Row(
      "item.limit.default", .items, "Finding gives one item unless more are asked for.",
      by: .any { driver in
        try FindRows.bothUsers(driver)
        return seen(try driver.first([:]), try driver.accounts())
      }, vault: .same("ann, ann bob"), compatible: .same("ann, ann bob")),
    Row(
      "item.limit", .items, "A limit takes so many, in no certain order.",
      by: .vault { driver in
        try FindRows.bothUsers(driver)
        return try driver.accounts(driver.findAll([:], [], limit: 1))
      }, vault: .differs("The best of them.", "ann"), compatible: .inexpressible(noLimit),
      why: "See `find.order`."),
    Row(
      "item.limit.zero", .items,
      "The limit 0 finds nothing; −1 is all in the one store, and errSecParam in the other.",
      by: .swift { driver in
        try FindRows.bothUsers(driver)
        return try [0, -1, nil].map { "\(try driver.findAll([:], [], limit: $0).count)" }
          .joined(separator: " ")
      }, vault: .differs("0 or less finds nothing, and nil is all.", "0 0 2"),
      compatible: .inexpressible(noLimit), why: "One word says one thing.",
      except: [.native: "0 says that there is no limit"]),
    Row(
      "item.secrets", .items,
      "All items with their secrets are given by the one store, and are errSecParam in the other.",
      by: .any(secrets), vault: .same("one two"), compatible: .same("one two")),
    Row(
      "item.attributes-alone", .items, "Attributes can be listed without opening a secret.",
      by: .swift { driver in
        try driver.add(.ann)
        let items = try driver.vault.findAll(ItemQuery())
        return items.map { $0.secret == nil ? "\($0.account), no secret" : "a secret" }.joined()
      }, vault: .same("ann, no secret"),
      compatible: .inexpressible("An item's secret is copied, or it is not."),
      except: [.native: "a secret is copied, or it is not"]),
    Row(
      "item.subdomains", .items,
      "Subdomains are picked after the limit was applied, so that one may be missed, and by their case.",
      by: .vault(subdomains),
      vault: .differs("Before the limit, by canonical names.", "ann, ann bob"),
      compatible: .inexpressible("Searches have no such option."),
      why: "A limit is on what matches."),
    Row(
      "item.damaged", .items, "A corrupt item is skipped, and deleted later.",
      by: .any(damaged),
      vault: .differs("Damage is an error, and nothing is deleted.", "damaged, unchanged"),
      compatible: .differs(
        "errSecInvalidKeychain, and nothing is deleted.", "invalid-keychain, unchanged"),
      why: "“Not found” must be true; `vaultctl salvage` saves what can be saved.",
      except: [.session: "memory has no file to damage"]),
    Row(
      "item.reference-and-attributes", .items,
      "A persistent reference and attributes in one query are errSecParam.",
      by: .vault(referenceAndAttributes), vault: .differs("Both have to match.", "ann, "),
      compatible: .inexpressible("A reference is used as it is."),
      why: "An identity is an attribute like others."),
    Row(
      "item.two-stores", .items,
      "Both stores are asked, the results of the one come first, and its error is hidden if the other found something.",
      by: .any(bothStores),
      vault: .differs(
        "Session and file are asked, their items come in one order, and no error is hidden.",
        "ann bob zoe"),
      compatible: .differs(
        "Session and file are asked, their items come in one order, and no error is hidden.",
        "ann bob zoe"),
      why: "Where an item is kept says nothing about how well it matches.",
      except: [.session: "both stores are used at once"]),
    Row(
      "item.web-credential", .items,
      "Safari finds by server and the type form, and adds the account if it is known.",
      by: .any(webCredential), vault: .same("ann, bob"), compatible: .same("ann, bob")),
    Row(
      "item.extra-data", .items, "An item has room for six further values, encrypted.",
      by: .swift(customAttributes), .native(customAttributesInC),
      vault: .differs("Up to 64 custom attributes with names, sealed.", "red, empty"),
      compatible: .inexpressible("The keychain's tags have no names for them."),
      why: "What belongs to a credential differs from one program to the next."),

    // Adding
    Row(
      "item.add.label", .items, "No label is made.",
      by: .any { try $0.read(.label, of: $0.add(.ann)) },
      vault: .differs("The label is the server, else the account.", "git.example.com"),
      compatible: .differs("The label is the server, else the account.", "git.example.com"),
      why: "`SecKeychainAddInternetPassword` makes one: lists show it."),
    Row(
      "item.add.locked", .items, "Locked is told before duplicate.",
      by: .any { driver in
        try driver.add(.ann)
        try driver.lock()
        return try outcome { try driver.add(.ann) }
      }, vault: .same("locked"), compatible: .same("locked"),
      except: [.session: "locking forgets the session"]),
    .foreign(
      "item.add.match", .items, "A match option while adding reports success and stores nothing.",
      because: "Adding takes attributes; it has no options for finding."),
    Row(
      "item.add.large", .items, "A secret above 32 KiB is noted in a log.",
      by: .any(largeSecret),
      vault: .differs("Up to 1 MiB; more is an error.", "1048576, too-large"),
      compatible: .differs("Up to 1 MiB; more is errSecDataTooLarge.", "1048576, too-large"),
      why: "A bound that is known can be planned for."),

    // Updating
    Row(
      "item.update.none", .items, "If nothing matches, updating is errSecItemNotFound.",
      by: .any { driver in
        try outcome { try driver.modify(driver.find(.ann), [.comment: "new"]) }
      }, vault: .same("item-not-found"), compatible: .same("item-not-found")),
    Row(
      "item.update.several", .items,
      "Several items change in one transaction in the one store, one by one in the other, where a failure may be hidden.",
      by: .swift(transaction), vault: .same("exists, ann bob, “”"),
      compatible: .inexpressible("Each call changes one item."),
      except: [
        .native: "each call changes one item", .session: "transactions are the file's",
      ]),
    Row(
      "item.update.date", .items,
      "A change's date is later than the last, by a millisecond if need be.",
      by: .vault(revisions),
      vault: .differs(
        "The revision grows with each change; dates are the clock's.", "1 date, 3 revisions"),
      compatible: .inexpressible("There is no attribute for a revision."),
      why: "A date that was made up is none."),
    Row(
      "item.upsert", .items, "There is no way to add or change in one step.",
      by: .vault(upsert),
      vault: .differs(
        "`upsert` does it, and keeps what the new item does not have.", "ok, two, comment, 1"),
      compatible: .inexpressible("Find, then modify or add, as with the keychain."),
      why: "Between two steps somebody else may add it."),
    Row(
      "item.upsert.port", .items, "Adding and changing take a key as it is written.",
      by: .vault(upsertOtherPort),
      vault: .differs(
        "Adding and changing take a key literally; `upsert` changes the item of the same place, whether its port is unset or "
          + "the protocol's own.", "two, 1, 2"),
      compatible: .inexpressible("Adding and changing take a key literally; there is no `upsert`."),
      why: "`https://host` and `https://host:443` are one place."),

    // Deleting
    Row(
      "item.delete", .items,
      "All matches are deleted in the one store, the first in the other; none is errSecItemNotFound.",
      by: .vault(removeAll),
      vault: .differs("`removeAll` deletes all, and says how many; 0 is no error.", "2, zoe, 0"),
      compatible: .inexpressible("Each call deletes one item."),
      why: "One word deletes all, another one: no call does now this, now that."),
    Row(
      "item.delete.one", .items,
      "Where one item is to be deleted and several match, it is any of them.",
      by: .swift(removeOne),
      vault: .differs(
        "`removeOne` is an error then, and deletes nothing.", "ambiguous, ann bob, ann"),
      compatible: .inexpressible("An item is found first."),
      why: "Nothing is deleted by chance.",
      except: [.native: "vault_find_unique() finds it, and vault_remove() deletes it"]),
    Row(
      "item.delete.everything", .items,
      "A query of the class alone deletes everything in the one store, one item in the other.",
      by: .native { driver in
        try FindRows.bothUsers(driver)
        return seen(
          try outcome { _ = try driver.removeAll([:]) }, "\(try driver.count([:]))")
      },
      vault: .differs("In C an invalid argument.", "invalid-argument, 2"),
      compatible: .inexpressible("Each call deletes one item."),
      why: "A query that was left empty by mistake must not empty the vault.",
      except: [.swift: "an empty query is written out, and deletes all"]),
  ]

  private static let noLimit = "A search goes on for as long as it is asked."
}
