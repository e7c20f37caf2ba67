/// The spelling and comparison of values.
enum SpellingRows {
  static let rows: [Row] = [
    canonicalRow(
      "case", "Servers are bytes: Example.com differs from example.com.", "EXAMPLE.com"),
    canonicalRow("dot", "A trailing dot makes a different server.", "example.com."),
    canonicalRow("percent", "Nothing is percent-decoded.", "ex%61mple.com"),
    Row(
      "spelling.server.idn", .spelling, "International names are not converted.",
      by: .any { driver in
        try driver.add(.user("ann", on: "bücher.example"))
        return seen(
          try driver.first([.server: "xn--bcher-kva.example"]),
          try driver.read(.server, of: driver.find([:])))
      },
      vault: .differs(
        "The A-label is stored, and either form finds it.", "ann, xn--bcher-kva.example"),
      compatible: .differs(
        "The A-label is stored, and either form finds it.", "ann, xn--bcher-kva.example"),
      why: why),
    Row(
      "spelling.server.invalid", .spelling, "Any bytes are a valid server.",
      by: .any { driver in
        try ["no host", "a..b", "-a.org"].map { server in
          try outcome { try driver.add(.user("ann", on: server)) }
        }.joined(separator: " ")
      },
      vault: .differs(
        "An invalid host is an invalid argument.",
        "invalid-argument invalid-argument invalid-argument"),
      compatible: .differs(
        "An invalid host is errSecParam.", "invalid-argument invalid-argument invalid-argument"),
      why: "No program will ever connect to it.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "spelling.path", .spelling, "No path, `/`, `/x` and `/x/` are four different paths.",
      by: .any { try distinct($0, .path, ["", "/", "/x", "/x/"]) }, vault: .same("4 of 4"),
      compatible: .same("4 of 4")),
    Row(
      "spelling.account", .spelling,
      "Accounts differ by case, blanks and Unicode's two ways to write é.",
      by: .any { try distinct($0, .account, ["ann", "Ann", " ann", "jos\u{E9}", "jose\u{301}"]) },
      vault: .same("5 of 5"), compatible: .same("5 of 5")),
    Row(
      "spelling.realm", .spelling, "Security domains differ by case and blanks.",
      by: .any { try distinct($0, .realm, ["Team Git", "team git", "Team Git "]) },
      vault: .same("3 of 3"), compatible: .same("3 of 3")),
    Row(
      "spelling.port", .spelling, "https with port 0 and https with 443 are two items.",
      by: .any { try distinct($0, .port, ["", "443"]) }, vault: .same("2 of 2"),
      compatible: .same("2 of 2")),
    Row(
      "spelling.nul", .spelling, "NUL within a text is kept, except in the path of a search.",
      by: .any { driver in
        try [Attribute.account, .realm, .path, .server].map { attribute in
          try outcome { try driver.add(.ann.with(attribute, "a\0b")) }
        }.joined(separator: " ")
      },
      vault: .differs(
        "An invalid argument.",
        "invalid-argument invalid-argument invalid-argument invalid-argument"),
      compatible: .differs(
        "errSecParam.", "invalid-argument invalid-argument invalid-argument invalid-argument"),
      why: "One program would see the whole text, another only its beginning.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "spelling.length", .spelling, "Attributes may have any length.",
      by: .any(lengths),
      vault: .differs(
        "Parts of the key and the label have at most 4096 bytes, a comment at most 65536.",
        "ok, too-large, ok, too-large"),
      compatible: .differs(
        "Parts of the key and the label have at most 4096 bytes, a comment at most 65536.",
        "ok, too-large, ok, too-large"),
      why: "A limit keeps rows from growing without bound."),
    Row(
      "spelling.utf8", .spelling, "Text consists of arbitrary bytes; UTF-8 is assumed.",
      by: .native { _ in try outcome { try Named().setNotText() } }, .keychain(notText),
      vault: .differs("Text that is not UTF-8 is an invalid argument.", "invalid-argument"),
      compatible: .differs("Text that is not UTF-8 is errSecParam.", "invalid-argument, “”"),
      why: "People must be able to read it.", except: [.swift: "a String is Unicode"]),
    .foreign(
      "spelling.options", .spelling,
      "Options to ignore case or accents only apply to certificates.",
      because: "There are no such options."),
  ]

  private static let why =
    "Every spelling leads to the same machine, and a password is for a machine."

  private static func canonicalRow(_ name: String, _ apple: String, _ spelling: String) -> Row {
    let text = "The server is stored in canonical form, whatever its spelling."
    return Row(
      "spelling.server.\(name)", .spelling, apple,
      by: .any { driver in
        try driver.add(.user("ann", on: spelling))
        return seen(
          try driver.first([.server: "example.com"]), try driver.first([.server: spelling]),
          try driver.read(.server, of: driver.find([:])))
      },
      vault: .differs(text, "ann, ann, example.com"),
      compatible: .differs(text, "ann, ann, example.com"), why: why)
  }

  /// Returns how many of the values are distinct.
  static func distinct(
    _ driver: any Driver, _ attribute: Attribute, _ values: [String]
  ) throws -> String {
    for value in values { try driver.add(.ann.with(attribute, value), secret: value) }
    let right = try values.filter { value in
      // A search can ask for an unset value, which finding cannot.
      let found = try driver.findAll([attribute: value])
      return try found.count == 1 && driver.secret(of: found[0]) == value
    }
    return "\(right.count) of \(values.count)"
  }

  static func lengths(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    return try [(Attribute.account, 4096), (.account, 4097), (.comment, 65536), (.comment, 65537)]
      .map { attribute, count in
        try outcome {
          try driver.modify(item, [attribute: String(repeating: "x", count: count)])
        }
      }.joined(separator: ", ")
  }

  static func notText(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    return seen(
      try outcome { try driver.modify(item, AttributeList([(Attribute.comment.tag, [0xFF])])) },
      "“\(try driver.read(.comment, of: item))”")
  }
}
