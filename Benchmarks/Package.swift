// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "credential-vault", path: "..")],
  targets: [
    .systemLibrary(name: "PeerSQLite", pkgConfig: "sqlite3"),
    .target(name: "PeerDigest", linkerSettings: [.linkedLibrary("crypto")]),
    .executableTarget(
      name: "vault-bench",
      dependencies: [
        "PeerSQLite", "PeerDigest",
        .product(name: "CredentialVault", package: "credential-vault"),
        .product(name: "HTTPAuthentication", package: "credential-vault"),
        .product(name: "VaultC", package: "credential-vault"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ]
)
