// swift-tools-version: 6.3

import PackageDescription

let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "credential-vault", path: "..")],
  targets: [
    .target(
      name: "LoopbackServer", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "PeerCurl", linkerSettings: [.linkedLibrary("curl")]),
    .systemLibrary(name: "PeerSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "PeerSodium", pkgConfig: "libsodium"),
    .target(name: "PeerDigest", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "PeerTrust", linkerSettings: [.linkedLibrary("crypto")]),
    .executableTarget(
      name: "vault-bench",
      dependencies: [
        "PeerSQLite", "PeerSodium", "PeerDigest", "PeerTrust",
        .product(name: "CredentialVault", package: "credential-vault"),
        .product(name: "HTTPAuthentication", package: "credential-vault"),
        .product(name: "TLSCredentials", package: "credential-vault"),
        .product(name: "VaultC", package: "credential-vault"),
        .product(name: "KeychainCompatibility", package: "credential-vault"),
      ],
      swiftSettings: house,
      // The C library brings a static Swift, in which FoundationEssentials does not name its parts.
      linkerSettings: [
        .linkedLibrary("_FoundationCollections"), .linkedLibrary("_FoundationCShims"),
      ]),
    .executableTarget(
      name: "fleet-bench",
      dependencies: [
        .product(name: "VaultAdministration", package: "credential-vault"),
      ],
      swiftSettings: house),
    .executableTarget(
      name: "request-bench",
      dependencies: [
        "LoopbackServer", "PeerCurl", "PeerTrust",
        .product(name: "CredentialVault", package: "credential-vault"),
        .product(name: "HTTPAuthentication", package: "credential-vault"),
        .product(name: "TLSCredentials", package: "credential-vault"),
        .product(name: "VaultTransport", package: "credential-vault"),
        .product(name: "VaultURLSession", package: "credential-vault"),
      ],
      swiftSettings: house),
  ]
)
