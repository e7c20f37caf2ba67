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

/// Whether `make fuzz` builds the package: see the root's.
let isForFuzzing = Context.environment["VAULT_FUZZING"] != nil

let vault: Target.Dependency = .product(name: "CredentialVault", package: "credential-vault")
let administration: Target.Dependency = .product(
  name: "VaultAdministration", package: "credential-vault")
let commandLine: Target.Dependency = .product(
  name: "VaultCommandLine", package: "credential-vault")
let testing: Target.Dependency = .product(name: "VaultTesting", package: "credential-vault")

let fuzzed: [Target.Dependency] = ["SecretService", "BusMessages", vault, testing]
let fuzzing: Target =
  isForFuzzing
  ? .executableTarget(
    name: "SecretServiceFuzzer", dependencies: fuzzed, path: "Tests/FuzzTests",
    exclude: ["Corpora", "CorpusTests.swift"], swiftSettings: house)
  : .testTarget(
    name: "SecretServiceFuzzTests", dependencies: fuzzed, path: "Tests/FuzzTests",
    exclude: ["Corpora", "Fuzzer"], swiftSettings: house)

let package = Package(
  name: "vaultctl-secret-service",
  products: [
    .executable(name: "vaultctl-secret-service", targets: ["vaultctl-secret-service"])
  ],
  dependencies: [.package(name: "credential-vault", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CSecretServiceSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CSecretServiceCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // Calls and values of D-Bus, without a bus.
    .target(name: "BusMessages", dependencies: [vault], swiftSettings: house),
    // The session bus; the only target that uses libsystemd.
    .target(
      name: "SessionBus", dependencies: ["BusMessages", "CSecretServiceSystemd", vault],
      swiftSettings: house),
    // The Secret Service over a vault, without a bus.
    .target(
      name: "SecretService",
      dependencies: ["BusMessages", "CSecretServiceCrypto", vault, administration, commandLine],
      swiftSettings: house),
    // A program of its own, because it links libsystemd, which has no static form.
    .executableTarget(
      name: "vaultctl-secret-service",
      dependencies: [
        "SecretService", "SessionBus", "BusMessages", "CSecretServiceSystemd", vault, commandLine,
      ],
      swiftSettings: house,
      linkerSettings: [
        // It needs no Swift at run time, only C libraries.
        .unsafeFlags(
          ["-static-stdlib", "-Xlinker", "-z", "-Xlinker", "now"], .when(configuration: .release))
      ]),
    fuzzing,
    .testTarget(
      name: "SecretServiceTests",
      dependencies: [
        "SecretService", "BusMessages", "CSecretServiceCrypto", vault, administration, testing,
      ],
      swiftSettings: house),
    .testTarget(
      name: "SecretServiceClientTests",
      dependencies: [
        "vaultctl-secret-service", .product(name: "vaultctl", package: "credential-vault"),
        vault, testing,
      ],
      exclude: ["Programs", "requirements.txt"], swiftSettings: house),
  ]
)

if isForFuzzing {
  package.products.append(
    .executable(name: "SecretServiceFuzzer", targets: ["SecretServiceFuzzer"]))
  package.targets = package.targets.filter { $0.type != .test }
}
