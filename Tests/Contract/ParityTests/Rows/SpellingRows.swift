/// The spelling and comparison of values.
enum SpellingRows {
  static let rows: [Row] = [
    canonicalRow(
      "case", "Example.com is not example.com.", "EXAMPLE.com"),
    canonicalRow("dot", "Nor is it with a final dot.", "example.com."),
    canonicalRow("percent", "Nothing is percent-decoded.", "ex%61mple.com"),
    Row(
      "spelling.server.idn", .spelling, "International names stay.",
      by: .any { driver in
        try driver.add(.user("ann", on: "bücher.example"))
        return seen(
          try driver.first([.server: "xn--bcher-kva.example"]),
          try driver.read(.server, of: driver.find([:])))
      },
      vault: .differs(
        "Servers are stored in canonical form; international names as A-labels.",
        "ann, xn--bcher-kva.example"),
      compatible: .differs(
        "Servers are stored in canonical form; international names as A-labels.",
        "ann, xn--bcher-kva.example"),
      why: why),
    Row(
      "spelling.server.invalid", .spelling, "Any bytes are a server.",
      by: .any { driver in
        try ["no host", "a..b", "-a.org"].map { server in
          try outcome { try driver.add(.user("ann", on: server)) }
        }.joined(separator: " ")
      },
      vault: .differs(
        "An invalid host is an invalid argument.",
        "invalid-argument invalid-argument invalid-argument"),
      compatible: .differs(
        "An invalid host is an invalid argument.",
        "invalid-argument invalid-argument invalid-argument"),
      why: "Nothing connects to it.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "spelling.path", .spelling, "No path, `/`, `/x`, `/x/` are four paths.",
      by: .any { try distinct($0, .path, ["", "/", "/x", "/x/"]) }, vault: .same("4 of 4"),
      compatible: .same("4 of 4")),
    Row(
      "spelling.account", .spelling,
      "Accounts differ by case, blanks, and the two é of Unicode.",
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
      "spelling.nul", .spelling, "NUL in a text is kept, but for a search's path.",
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
      why: "Some programs would see only the beginning.",
      except: [.keychainSession: AddRows.addsPermanently]),
    Row(
      "spelling.length", .spelling, "Attributes have any length.",
      by: .any(lengths),
      vault: .differs(
        "Key and label 4096 bytes each, a comment 65536.",
        "ok, too-large, ok, too-large"),
      compatible: .differs(
        "Key and label 4096 bytes each, a comment 65536.",
        "ok, too-large, ok, too-large"),
      why: "Rows are bounded."),
    Row(
      "spelling.utf8", .spelling, "Text is any bytes.",
      by: .native { _ in try outcome { try Named().setNotText() } }, .keychain(notText),
      vault: .differs("Not UTF-8 is an invalid argument.", "invalid-argument"),
      compatible: .differs("Not UTF-8 is an invalid argument.", "invalid-argument, “”"),
      why: "People read it.", except: [.swift: "a String is Unicode"]),
    .foreign(
      "spelling.options", .spelling,
      "Ignoring case or accents is for certificates alone.",
      because: "There is no such option."),
  ]

  private static let why =
    "Every spelling leads to one machine."

  private static func canonicalRow(_ name: String, _ apple: String, _ spelling: String) -> Row {
    let text = "Servers are stored in canonical form; international names as A-labels."
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
