extension TrustTableTests {
  static let cases: [Case] = [
    // Valid chains, and what was sent in other orders.
    Case(
      chain: "leaf middle",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle root",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf root middle",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", pins: "middle",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", pins: "root",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", pins: "key:leaf",
      none: "U", publicKey: "U", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "key:middle",
      none: "U", publicKey: "U", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "key:root",
      none: "U", publicKey: "U", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "foreign key:leaf",
      none: "U", publicKey: "U", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "renewed",
      none: "U", publicKey: "U", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "renewed middle",
      none: "U", publicKey: "U", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "foreign",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "",
      none: "U", publicKey: "D noPins", certificate: "D noPins unknownIssuer"),
    Case(
      chain: "leaf middle", host: nil, pins: "",
      none: "U", publicKey: "D noPins", certificate: "D noPins unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "key:foreign",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    // What an attacker appends is not in the path.
    Case(
      chain: "foreign other leaf", anchors: "root other",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "foreign leaf middle", pins: "middle", anchors: "other root",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "foreign other middle", pins: "middle", anchors: "root other",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    // Anchors, which need not be roots.
    Case(
      chain: "leaf",
      none: "R unknownIssuer", publicKey: "R unknownIssuer", certificate: "U"),
    Case(
      chain: "leaf", pins: "middle", anchors: "middle",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", anchors: "other",
      none: "R unknownIssuer", publicKey: "R unknownIssuer", certificate: "U"),
    Case(
      chain: "leaf middle", anchors: "leaf",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf cross", pins: "middle", anchors: "other",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf cross middle", pins: "key:root", anchors: "root other",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle cross", pins: "other", anchors: "other",
      none: "R unknownIssuer", publicKey: "D pinMismatch unknownIssuer",
      certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "foreign other", pins: "foreign",
      none: "R unknownIssuer", publicKey: "R unknownIssuer", certificate: "U"),
    Case(
      chain: "self", pins: "self",
      none: "R selfSigned", publicKey: "R selfSigned", certificate: "U"),
    Case(
      chain: "self", pins: "self", anchors: "self",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "self", pins: "key:self", anchors: "root",
      none: "R selfSigned", publicKey: "R selfSigned", certificate: "D pinMismatch selfSigned"),
    Case(
      chain: "self other", pins: "other",
      none: "R selfSigned", publicKey: "D pinMismatch selfSigned",
      certificate: "D pinMismatch selfSigned"),
    // Invalid certificates are allowed.
    Case(
      chain: "leaf middle", options: "invalid",
      none: "D noPins", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", options: "invalid unnamed",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", host: nil, options: "invalid",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "self", pins: "self", options: "invalid",
      none: "D noPins selfSigned", publicKey: "P selfSigned", certificate: "U"),
    Case(
      chain: "self", pins: "self", options: "invalid unnamed",
      none: "P selfSigned", publicKey: "P selfSigned", certificate: "U"),
    Case(
      chain: "self", pins: "key:self", options: "invalid",
      none: "D noPins selfSigned", publicKey: "P selfSigned",
      certificate: "D pinMismatch selfSigned"),
    Case(
      chain: "self", options: "invalid",
      none: "D noPins selfSigned", publicKey: "D pinMismatch selfSigned",
      certificate: "D pinMismatch selfSigned"),
    Case(
      chain: "self", options: "invalid unnamed",
      none: "P selfSigned", publicKey: "D pinMismatch selfSigned",
      certificate: "D pinMismatch selfSigned"),
    Case(
      chain: "self", host: nil, pins: "", options: "invalid unnamed",
      none: "P selfSigned", publicKey: "D noPins selfSigned", certificate: "D noPins selfSigned"),
    Case(
      chain: "self", pins: "", options: "invalid",
      none: "D noPins selfSigned", publicKey: "D noPins selfSigned",
      certificate: "D noPins selfSigned"),
    Case(
      chain: "self", host: nil, pins: "self", options: "invalid",
      none: "P selfSigned", publicKey: "P selfSigned", certificate: "U"),
    Case(
      chain: "self-expired", pins: "self-expired", options: "invalid",
      none: "D expired noPins selfSigned", publicKey: "P expired selfSigned",
      certificate: "R expired"),
    Case(
      chain: "self-expired", pins: "key:self", options: "invalid",
      none: "D expired noPins selfSigned", publicKey: "P expired selfSigned",
      certificate: "D expired pinMismatch selfSigned"),
    Case(
      chain: "self-cn", host: "foobar.com", pins: "self-cn", options: "invalid",
      none: "D noPins selfSigned wrongHost", publicKey: "R selfSigned wrongHost",
      certificate: "R wrongHost"),
    Case(
      chain: "self-cn", host: "foobar.com", pins: "self-cn", options: "invalid common-name",
      none: "D noPins selfSigned", publicKey: "P selfSigned", certificate: "U"),
    Case(
      chain: "leaf", options: "invalid",
      none: "D noPins unknownIssuer", publicKey: "P unknownIssuer", certificate: "U"),
    Case(
      chain: "leaf", pins: "middle", options: "invalid",
      none: "D noPins unknownIssuer", publicKey: "D pinMismatch unknownIssuer", certificate: "U"),
    // The hole of AFSecurityPolicy: name and signature also count with a pinned key.
    Case(
      chain: "leaf middle", host: "evil.example.org", options: "invalid",
      none: "D noPins wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "leaf middle", host: "evil.example.org", options: "invalid unnamed",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "changed middle", options: "invalid",
      none: "F noPins wrongSignature", publicKey: "F wrongSignature",
      certificate: "F pinMismatch unknownIssuer wrongSignature"),
    Case(
      chain: "changed middle", pins: "changed",
      none: "F wrongSignature", publicKey: "F wrongSignature", certificate: "F wrongSignature"),
    Case(
      chain: "changed middle",
      none: "F wrongSignature", publicKey: "F wrongSignature",
      certificate: "F pinMismatch unknownIssuer wrongSignature"),
    Case(
      chain: "stolen-name middle", pins: "middle", options: "invalid",
      none: "F noPins wrongSignature", publicKey: "F wrongSignature",
      certificate: "F wrongSignature"),
    Case(
      chain: "stolen-name middle", pins: "middle",
      none: "F wrongSignature", publicKey: "F wrongSignature", certificate: "F wrongSignature"),
    Case(
      chain: "forged leaf middle", options: "invalid",
      none: "D invalidAuthority noPins wrongPurpose", publicKey: "R invalidAuthority wrongPurpose",
      certificate: "R invalidAuthority wrongPurpose"),
    Case(
      chain: "forged leaf middle", pins: "middle", options: "invalid unnamed",
      none: "R invalidAuthority wrongPurpose", publicKey: "R invalidAuthority wrongPurpose",
      certificate: "R invalidAuthority wrongPurpose"),
    Case(
      chain: "forged leaf middle",
      none: "R invalidAuthority wrongPurpose", publicKey: "R invalidAuthority wrongPurpose",
      certificate: "R invalidAuthority wrongPurpose"),
    Case(
      chain: "impostor other", pins: "key:impostor", options: "invalid",
      none: "D noPins unknownIssuer", publicKey: "P unknownIssuer",
      certificate: "D pinMismatch unknownIssuer"),
    // Hosts.
    Case(
      chain: "leaf middle", host: "www.example.com.",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", host: "WWW.Example.COM",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", host: "example.com",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "leaf middle", host: "a.wild.example.com",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", host: "a.b.wild.example.com",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "leaf middle", host: "wild.example.com",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "leaf middle", host: "192.0.2.1",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", host: "192.0.2.2",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "leaf middle", host: "[2001:DB8:0::1]",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", host: "evil.example.org", options: "unnamed",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "wildcard middle", host: "www.example.com", pins: "wildcard",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "wildcard middle", host: "example.com", pins: "wildcard",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "partial middle", host: "www.example.com", pins: "partial",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "all middle", host: "www.example.com", pins: "all",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "idn middle", host: "bücher.example", pins: "idn",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "idn middle", host: "bucher.example", pins: "idn",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "address-as-name middle", host: "192.0.2.1", pins: "address-as-name",
      options: "common-name",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "cn middle", pins: "cn",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "cn middle", pins: "cn", options: "common-name",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "cn-and-san middle", pins: "cn-and-san", options: "common-name",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "self-cn", host: "foobar.com", pins: "self-cn", anchors: "self-cn",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "self-cn", host: "foobar.com", pins: "self-cn", options: "common-name",
      anchors: "self-cn",
      none: "U", publicKey: "U", certificate: "U"),
    // Times.
    Case(
      chain: "leaf middle", anchors: "root", time: "2025-12-31T23:59:59Z",
      none: "R notYetValid", publicKey: "R notYetValid", certificate: "R notYetValid"),
    Case(
      chain: "leaf middle", anchors: "root", time: "2026-01-01T00:00:01Z",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", anchors: "root", time: "2026-12-31T23:59:59Z",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", anchors: "root", time: "2027-01-01T00:00:00Z",
      none: "R expired", publicKey: "R expired", certificate: "R expired"),
    Case(
      chain: "leaf middle", options: "invalid", anchors: "root", time: "2027-06-01T00:00:00Z",
      none: "D expired noPins", publicKey: "P expired", certificate: "R expired"),
    Case(
      chain: "leaf middle", pins: "key:middle", anchors: "root", time: "2041-01-01T00:00:00Z",
      none: "R expired", publicKey: "R expired", certificate: "D expired pinMismatch unknownIssuer"),
    Case(
      chain: "expired middle", pins: "expired",
      none: "R expired", publicKey: "R expired", certificate: "R expired"),
    Case(
      chain: "expired middle", pins: "expired", options: "invalid",
      none: "D expired noPins", publicKey: "P expired", certificate: "R expired"),
    Case(
      chain: "expired middle", host: "evil.example.org", pins: "expired",
      none: "R expired wrongHost", publicKey: "R expired wrongHost",
      certificate: "R expired wrongHost"),
    Case(
      chain: "future middle", pins: "future",
      none: "R notYetValid", publicKey: "R notYetValid", certificate: "R notYetValid"),
    Case(
      chain: "future middle", pins: "future", options: "invalid",
      none: "D noPins notYetValid", publicKey: "P notYetValid", certificate: "R notYetValid"),
    Case(
      chain: "below-old old-middle", pins: "below-old",
      none: "R expired", publicKey: "R expired", certificate: "R expired"),
    Case(
      chain: "below-old old-middle", pins: "old-middle",
      none: "R expired", publicKey: "R expired", certificate: "R expired"),
    // Purposes and strength.
    Case(
      chain: "client middle", pins: "client",
      none: "R wrongPurpose", publicKey: "R wrongPurpose", certificate: "R wrongPurpose"),
    Case(
      chain: "client middle", pins: "client", options: "invalid",
      none: "D noPins wrongPurpose", publicKey: "R wrongPurpose", certificate: "R wrongPurpose"),
    Case(
      chain: "any-purpose middle", pins: "any-purpose",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "weak middle", pins: "weak",
      none: "R weakCryptography", publicKey: "R weakCryptography", certificate: "R weakCryptography"
    ),
    Case(
      chain: "weak middle", pins: "weak", options: "invalid",
      none: "D noPins weakCryptography", publicKey: "R weakCryptography",
      certificate: "R weakCryptography"),
    Case(
      chain: "sha1 middle", pins: "sha1",
      none: "R weakCryptography", publicKey: "R weakCryptography", certificate: "R weakCryptography"
    ),
    // What authorities may do.
    Case(
      chain: "too-deep below-short short", pins: "too-deep",
      none: "R invalidAuthority", publicKey: "R invalidAuthority", certificate: "R invalidAuthority"
    ),
    Case(
      chain: "too-deep below-short short", pins: "short",
      none: "R invalidAuthority", publicKey: "R invalidAuthority", certificate: "R invalidAuthority"
    ),
    Case(
      chain: "outside limited", pins: "outside",
      none: "R forbiddenName", publicKey: "R forbiddenName", certificate: "R forbiddenName"),
    Case(
      chain: "outside limited", pins: "limited", options: "invalid",
      none: "D forbiddenName noPins", publicKey: "R forbiddenName", certificate: "R forbiddenName"),
    Case(
      chain: "inside limited", host: "www.example.org", pins: "limited",
      none: "U", publicKey: "U", certificate: "U"),
    // A wildcard stands for names that its authority excludes.
    Case(
      chain: "covering excluding", pins: "covering",
      none: "R forbiddenName", publicKey: "R forbiddenName", certificate: "R forbiddenName"),
    Case(
      chain: "covering-capital excluding", host: "bar.example.com", pins: "excluding",
      none: "R forbiddenName", publicKey: "R forbiddenName", certificate: "R forbiddenName"),
    Case(
      chain: "besides excluding", host: "www.example.org", pins: "excluding",
      none: "U", publicKey: "U", certificate: "U"),
    // A registry's names are not one owner's, and a hoster's are.
    Case(
      chain: "registry middle", host: "shop.co.uk", pins: "registry",
      none: "R wrongHost", publicKey: "R wrongHost", certificate: "R wrongHost"),
    Case(
      chain: "registry-and-own middle", host: "shop.co.uk", pins: "middle",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "hosted middle", host: "ann.github.io", pins: "middle",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "critical middle", pins: "critical",
      none: "R unknownExtension", publicKey: "R unknownExtension", certificate: "R unknownExtension"
    ),
    // Revocation; in certificate mode an issuer above the pinned certificate may be unknown.
    Case(
      chain: "leaf middle", options: "crl:middle crl:root",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", options: "crl:middle-has-leaf crl:root",
      none: "F revoked", publicKey: "F revoked", certificate: "F revoked"),
    Case(
      chain: "leaf middle", options: "crl:middle-has-leaf invalid unnamed",
      none: "F revoked", publicKey: "F revoked", certificate: "F revoked"),
    Case(
      chain: "leaf middle", options: "crl:middle",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", options: "crl:middle lists",
      none: "R missingRevocationList", publicKey: "R missingRevocationList",
      certificate: "R missingRevocationList"),
    Case(
      chain: "leaf middle", options: "lists",
      none: "R missingRevocationList", publicKey: "R missingRevocationList",
      certificate: "R missingRevocationList"),
    Case(
      chain: "leaf middle", options: "crl:middle crl:root lists",
      none: "U", publicKey: "U", certificate: "R missingRevocationList"),
    Case(
      chain: "leaf middle", options: "crl:middle-old crl:root",
      none: "R invalidRevocationList", publicKey: "R invalidRevocationList",
      certificate: "R invalidRevocationList"),
    Case(
      chain: "leaf middle", options: "crl:middle-forged crl:root",
      none: "F invalidRevocationList revoked", publicKey: "F invalidRevocationList revoked",
      certificate: "F invalidRevocationList revoked"),
    Case(
      chain: "leaf middle root", pins: "middle", options: "crl:middle crl:root lists",
      none: "U", publicKey: "U", certificate: "R invalidRevocationList"),
    Case(
      chain: "leaf middle root", options: "crl:middle crl:root lists",
      none: "U", publicKey: "U", certificate: "U"),
    // Pins with a host, an end, and those that only report.
    Case(
      chain: "leaf middle", pins: "foreign", options: "for:example.com",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", pins: "foreign", options: "for:example.com subdomains",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", options: "for:example.com subdomains",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", pins: "foreign", options: "for:www.example.com",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", pins: "foreign", options: "for:other.example subdomains",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", pins: "foreign", options: "until:2026-05-01T00:00:00Z",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "leaf middle", pins: "foreign", options: "until:2026-06-01T00:00:00Z",
      none: "U", publicKey: "D pinMismatch", certificate: "D pinMismatch unknownIssuer"),
    Case(
      chain: "leaf middle", options: "until:2026-05-01T00:00:00Z invalid",
      none: "D noPins", publicKey: "D noPins", certificate: "D noPins"),
    Case(
      chain: "leaf middle", pins: "foreign", options: "report",
      none: "U", publicKey: "U reported", certificate: "U reported"),
    Case(
      chain: "leaf middle", options: "report",
      none: "U", publicKey: "U", certificate: "U"),
    Case(
      chain: "self", pins: "foreign", options: "report",
      none: "R selfSigned", publicKey: "R selfSigned reported", certificate: "R selfSigned reported"
    ),
    Case(
      chain: "self", pins: "foreign", options: "report invalid",
      none: "D noPins selfSigned", publicKey: "D noPins selfSigned reported",
      certificate: "D noPins selfSigned reported"),
  ]
}
