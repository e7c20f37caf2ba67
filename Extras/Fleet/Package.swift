// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings of every target, as in the root's package.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
  .treatWarning("ExplicitSendable", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let vault: Target.Dependency = .product(name: "CredentialVault", package: "credential-vault")
let administration: Target.Dependency = .product(
  name: "VaultAdministration", package: "credential-vault")
let commandLine: Target.Dependency = .product(
  name: "VaultCommandLine", package: "credential-vault")
let testing: Target.Dependency = .product(name: "VaultTesting", package: "credential-vault")

let package = Package(
  name: "vaultctl-fleet",
  products: [.executable(name: "vaultctl-fleet", targets: ["vaultctl-fleet"])],
  dependencies: [.package(name: "credential-vault", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CFleetPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // The replicas of a vault, and the server that decides about their writes; the only target that
    // uses libpq.
    .target(
      name: "VaultFleet", dependencies: ["CFleetPostgres", vault, administration],
      resources: [.embedInCode("Tables/sql")], swiftSettings: house),
    // The commands that ask a fleet's server, and the order of writes to replicas. A program of its
    // own, because it links libpq, which needs 36 shared libraries.
    .executableTarget(
      name: "vaultctl-fleet", dependencies: ["VaultFleet", vault, administration, commandLine],
      swiftSettings: house,
      linkerSettings: [
        // It needs no Swift at run time, only C libraries.
        .unsafeFlags(
          ["-static-stdlib", "-Xlinker", "-z", "-Xlinker", "now"], .when(configuration: .release))
      ]),
    .testTarget(
      name: "FleetTests",
      dependencies: [
        "VaultFleet", "vaultctl-fleet", "CFleetPostgres",
        .product(name: "vaultctl", package: "credential-vault"),
        .product(name: "HTTPAuthentication", package: "credential-vault"), vault, administration,
        commandLine, testing,
      ],
      exclude: ["Programs"], swiftSettings: house),
  ]
)
