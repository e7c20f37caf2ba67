// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The settings of every target: Swift 6, strict memory safety, warnings as errors.
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

/// The settings of the rooms that attacks run a hundred thousand times, and of the attacks: the
/// Makefile builds them optimized for the tests, and flipping bits takes a fifth of the time.
///
/// Packages that name a version accept no such flags.
let engine: [SwiftSetting] =
  Context.environment["VAULT_OPTIMIZED_ENGINE"] == nil
  ? house : house + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Whether `make fuzz` builds the package: see the end of this file.
let isForFuzzing = Context.environment["VAULT_FUZZING"] != nil

/// Only the shipped program is static: what other programs link stays on the shared libsqlite3,
/// because two copies of SQLite in one process drop each other's POSIX locks.
///
/// Tests that are built for release hold the program's code in a runner that cannot be static; the
/// Makefile says so by `VAULT_RELEASE_TESTS`.
let isForTests = Context.environment["VAULT_RELEASE_TESTS"] != nil || isForFuzzing
let shippedProgram: [LinkerSetting] =
  isForTests
  ? []
  : [
    .linkedLibrary("sqlite3", .when(configuration: .release)),
    .linkedLibrary("idn2", .when(configuration: .release)),
    .linkedLibrary("unistring", .when(configuration: .release)),
    .linkedLibrary("z", .when(configuration: .release)),
    .linkedLibrary("expat", .when(configuration: .release)),
    .linkedLibrary("oath", .when(configuration: .release)),
    .linkedLibrary("m", .when(configuration: .release)),
    // Position-independent, so that its code is at another address in each run.
    .unsafeFlags(
      [
        "-static-executable", "-Xclang-linker", "-static-pie", "-Xclang-linker",
        "--ld-path=\(Context.packageDirectory)/Scripts/ld-static-pie",
        "-Xlinker", "--pack-dyn-relocs=relr",
        // What a lookup calls lies side by side: a run touches a tenth fewer pages.
        "-Xlinker",
        "--symbol-ordering-file=\(Context.packageDirectory)/Sources/vaultctl/startup.order",
        "-Xlinker", "--no-warn-symbol-ordering",
        // One copy of functions that are the same: generic code has many. SQLite, which compares
        // addresses of functions, is one section, of which nothing is merged.
        "-Xlinker", "--icf=all",
        // Half a MiB of tables with the names of Unicode's characters, for which nothing asks.
        "-Xlinker", "--defsym=_swift_stdlib_getScalarName=abort",
      ], .when(configuration: .release)),
    // No lazy PLT: its resolver spills registers, and with them secrets, onto the stack.
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"]),
  ]

/// The programs that are not static need no Swift at run time, only C libraries.
let dynamicProgram: [LinkerSetting] =
  isForTests
  ? []
  : [
    .unsafeFlags(
      ["-static-stdlib", "-Xlinker", "-z", "-Xlinker", "now"], .when(configuration: .release))
  ]

/// The C library brings its own Swift runtime and shows nothing but the C interface.
///
/// With lld, because gold exports local symbols of Swift. Bound at once, as the program is, and
/// never unloaded, because ending threads call back into it.
///
/// Tests of it are linked with the same settings, and are no library.
let cLibrary: [LinkerSetting] =
  isForTests
  ? []
  : [
    .unsafeFlags(
      [
        "-static-stdlib", "-use-ld=lld", "-Xlinker", "-soname=libcredentialvault.so.0", "-Xlinker",
        "--version-script=\(Context.packageDirectory)/Sources/VaultC/exports.map",
        "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z", "-Xlinker", "nodelete",
        // Debian 12's valgrind cannot read what clang writes of C, and says so on every start.
        "-Xlinker", "--strip-debug",
      ], .when(configuration: .release))
  ]

/// The parsers of external input with their invariants: as tests over the corpora, or as the
/// program for which libFuzzer generates inputs.
let fuzzed: [Target.Dependency] = [
  "FuzzTesting", "AttackSupport", "StoreTesting", "CVault", "VaultC", "KeychainServices",
  "VaultCommands",
  "CredentialVault", "VaultURLSession", "HTTPAuthentication", "HTTPChallenge",
  "VaultTerminal", "TLSCredentials", "Interchange", "OneTimePasswords", "VaultStore", "SealedTree",
  "VaultCrypto", "VaultReports", "VaultModel", "SecureMemory", "TestSupport",
]
let fuzzing: Target =
  isForFuzzing
  ? .executableTarget(
    name: "VaultFuzzer", dependencies: fuzzed, path: "Tests/Attack/FuzzTests",
    exclude: ["Corpora", "CorpusTests.swift"], swiftSettings: house)
  : .testTarget(
    name: "FuzzTests", dependencies: fuzzed, path: "Tests/Attack/FuzzTests",
    exclude: ["Corpora", "Fuzzer"], swiftSettings: house)

let package = Package(
  name: "credential-vault",
  products: [
    .library(name: "CredentialVault", targets: ["CredentialVault", "VaultModel", "SecureMemory"]),
    .library(
      name: "VaultAdministration", targets: ["VaultAdministration", "VaultReports", "VaultStore"]),
    .library(
      name: "HTTPAuthentication",
      targets: ["HTTPAuthentication", "HTTPChallenge", "GSSAuthentication"]),
    .library(name: "VaultTransport", targets: ["VaultTransport"]),
    .library(name: "VaultURLSession", targets: ["VaultURLSession"]),
    .library(name: "URLSessionSecurity", targets: ["URLSessionSecurity"]),
    .library(name: "TLSCredentials", targets: ["TLSCredentials"]),
    .library(name: "KeychainCompatibility", targets: ["Security"]),
    // For programs beside `vaultctl`: the run of a command; terminal, pinentry and the process; other
    // programs' names and the export that `vaultctl import` reads.
    .library(
      name: "VaultCommandLine", targets: ["VaultCommands", "VaultTerminal", "Interchange"]),
    // For tests of such programs: folders, clocks, threads, programs and servers.
    .library(
      name: "VaultTesting", targets: ["TestSupport", "ProgramTesting", "TestTraits", "FuzzTesting"]),
    .library(name: "credentialvault", type: .dynamic, targets: ["VaultC"]),
    // The same for programs that bring the rest themselves: the benchmarks.
    .library(name: "VaultC", type: .static, targets: ["CVault", "VaultC"]),
    .executable(name: "vaultctl", targets: ["vaultctl"]),
    .executable(name: "vaultctl-tls", targets: ["vaultctl-tls"]),
  ],
  targets: [
    // The rooms, lowest first; each sees only those that it names.
    .systemLibrary(
      name: "CVaultSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(
      name: "CVaultLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CVaultLibssl", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CVaultCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Without pkg-config: its module map names the library.
    .systemLibrary(name: "CVaultOath", providers: [.apt(["liboath-dev"])]),
    // SQLite, and the file system below it.
    .target(name: "CVaultSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(
      name: "CVaultText", pkgConfig: "libidn2",
      providers: [.apt(["libidn2-dev", "libunistring-dev"])]),
    .systemLibrary(
      name: "CVaultFormats", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev", "libexpat1-dev"])]),
    .systemLibrary(name: "CVaultSystem"),
    // Declarations alone: the library is loaded when a login needs it.
    .systemLibrary(name: "CVaultGSS"),
    .target(name: "SecureMemory", dependencies: ["CVaultSodium"], swiftSettings: engine),
    .target(
      name: "VaultModel", dependencies: ["SecureMemory", "CVaultText"], swiftSettings: engine),
    .target(
      name: "VaultCrypto", dependencies: ["VaultModel", "SecureMemory", "CVaultSodium"],
      swiftSettings: engine),
    .target(
      name: "VaultMigrations", path: "Migrations", resources: [.embedInCode("sql")],
      swiftSettings: house),
    // Records, buckets and trees over rows that anybody may store: no SQLite, no files.
    .target(
      name: "SealedTree",
      dependencies: ["VaultReports", "VaultModel", "VaultCrypto", "SecureMemory"],
      swiftSettings: engine),
    // What an administrator is told of a vault: problems, changes, results.
    .target(
      name: "VaultReports", dependencies: ["VaultModel", "SecureMemory"], swiftSettings: house),
    // The file, the only place that keeps rows in SQLite; the session's memory; copies, verification
    // and salvage of a whole file; keys in the kernel's keyring between two runs.
    .target(
      name: "VaultStore",
      dependencies: [
        "SealedTree", "VaultReports", "VaultCrypto", "VaultModel", "SecureMemory",
        "VaultMigrations", "CVaultSQLite", "CVaultSystem",
      ],
      swiftSettings: engine),
    .target(
      name: "CredentialVault",
      dependencies: ["VaultStore", "SealedTree", "VaultCrypto", "VaultModel", "SecureMemory"],
      swiftSettings: house),
    // Slots, copies, diagnosis, merges and machines: what no app needs that only keeps passwords.
    .target(
      name: "VaultAdministration",
      dependencies: [
        "CredentialVault", "VaultStore", "SealedTree", "VaultCrypto", "VaultReports", "VaultModel",
        "SecureMemory",
      ],
      swiftSettings: house),
    // The keys that servers give for one-time passwords, read, and the passwords.
    .target(
      name: "OneTimePasswords", dependencies: ["VaultModel", "SecureMemory", "CVaultOath"],
      swiftSettings: house),
    .target(
      name: "HTTPChallenge", dependencies: ["VaultModel", "SecureMemory"], swiftSettings: house),
    .target(
      name: "VaultTerminal",
      dependencies: [
        "CredentialVault", "VaultStore", "VaultModel", "SecureMemory", "CVaultSystem",
      ],
      swiftSettings: house),
    // Formats of other programs: bytes in, items out, and back; no vault, no files.
    .target(
      name: "Interchange", dependencies: ["VaultModel", "SecureMemory", "CVaultFormats"],
      swiftSettings: house),
    // Logins by Kerberos and NTLM, with GSSAPI; no networking, no vault.
    .target(
      name: "GSSAuthentication", dependencies: ["VaultModel", "SecureMemory", "CVaultGSS"],
      swiftSettings: house),
    .target(
      name: "HTTPAuthentication",
      dependencies: [
        "GSSAuthentication", "CredentialVault", "HTTPChallenge", "VaultTerminal", "VaultModel",
        "SecureMemory", "CVaultLibcrypto", "CVaultText",
      ],
      swiftSettings: house),
    // Certificates, identities and trust: values and evaluation, no networking.
    .target(
      name: "TLSCredentials",
      dependencies: ["CredentialVault", "VaultModel", "SecureMemory", "CVaultLibcrypto"],
      swiftSettings: house),
    // Requests that authenticate from a vault; the only target that uses libcurl.
    .target(
      name: "VaultTransport",
      dependencies: [
        "HTTPAuthentication", "HTTPChallenge", "TLSCredentials", "CredentialVault", "VaultModel",
        "SecureMemory", "CVaultCurl", "CVaultLibssl", "CVaultSystem",
      ],
      swiftSettings: house),
    .target(
      name: "VaultURLSession",
      dependencies: [
        "VaultTransport", "HTTPAuthentication", "TLSCredentials", "CredentialVault", "VaultModel",
        "SecureMemory",
      ],
      swiftSettings: house),
    // The contract, and a small CoreFoundation, whose letters are libunistring's.
    .target(name: "CVault", linkerSettings: [.linkedLibrary("unistring")]),
    // SecItem and SecTrust over values of no language, and the keychain's numbers: for Swift and C.
    .target(
      name: "KeychainServices",
      dependencies: ["TLSCredentials", "CredentialVault", "VaultModel", "SecureMemory"],
      swiftSettings: house),
    // SecItem in Swift, under the name that programs for Apple's systems import.
    .target(name: "SecurityConstants", swiftSettings: house),
    .target(name: "SecurityObjects", swiftSettings: house),
    .target(
      name: "Security",
      dependencies: [
        "SecurityConstants", "SecurityObjects", "KeychainServices", "TLSCredentials",
        "CredentialVault", "VaultModel", "SecureMemory",
      ], swiftSettings: house),
    // Apple's names for challenges of TLS, which need both rooms: neither needs the other.
    .target(
      name: "URLSessionSecurity", dependencies: ["VaultURLSession", "Security", "TLSCredentials"],
      swiftSettings: house),
    .target(
      name: "VaultC",
      dependencies: [
        "CVault", "KeychainServices", "HTTPAuthentication", "TLSCredentials", "VaultAdministration",
        "CredentialVault", "VaultModel", "SecureMemory",
      ],
      exclude: ["exports.map"], swiftSettings: house, linkerSettings: cLibrary),
    // The versions of what a static program has of its toolchain. In C++, whose library says its own.
    .target(name: "CVaultToolchain"),
    // Commands, terminal, messages: all of `vaultctl` but its `main`.
    .target(
      name: "VaultCommands",
      dependencies: [
        "VaultAdministration", "CredentialVault", "VaultTerminal", "Interchange", "HTTPChallenge",
        "OneTimePasswords", "GSSAuthentication", "VaultStore", "VaultCrypto", "VaultReports",
        "VaultModel", "SecureMemory", "CVaultSystem", "CVaultText", "CVaultToolchain",
      ],
      // Nothing of it runs often, so it is made small.
      swiftSettings: house + [.unsafeFlags(["-Osize"], .when(configuration: .release))]),
    .executableTarget(
      name: "vaultctl", dependencies: ["VaultCommands"], exclude: ["startup.order"],
      swiftSettings: house, linkerSettings: shippedProgram),
    // The commands for certificates. A program of its own, because it links libcrypto and libssl:
    // a static libcrypto cannot load its legacy module, and would make `vaultctl` a third larger.
    .executableTarget(
      name: "vaultctl-tls",
      dependencies: [
        "VaultCommands", "TLSCredentials", "VaultTerminal", "CredentialVault", "VaultModel",
        "SecureMemory", "CVaultSystem", "CVaultLibssl",
      ],
      swiftSettings: house, linkerSettings: dynamicProgram),
    // Shared by tests. `CForkSupport`: Swift imports no `fork`. `VaultTestDriver` is the program
    // that tests kill, stop and scan, `CKillSwitch` stops it at a chosen system call, and
    // `CFaultVFS` records SQLite's calls and makes them fail. `CTestEnvironment` makes the environment
    // of the tests. `StoreTesting` makes and changes files without a `Vault`, and replicas without
    // a server. `HTTPTesting` is an HTTP client with its real servers.
    .systemLibrary(name: "CForkSupport", path: "Tests/Support/CForkSupport"),
    .target(
      name: "CKillSwitch", path: "Tests/Support/CKillSwitch", cSettings: [.unsafeFlags(["-O2"])]),
    .target(
      name: "CFaultVFS", dependencies: ["CVaultSQLite"], path: "Tests/Support/CFaultVFS",
      cSettings: [.unsafeFlags(["-O2"])]),
    .target(name: "CTestEnvironment", path: "Tests/Support/CTestEnvironment"),
    .target(
      name: "TestSupport", dependencies: ["CTestEnvironment", "VaultModel", "SecureMemory"],
      path: "Tests/Support/TestSupport",
      swiftSettings: house),
    // Public code for Apple's keychain: compiled as it is, without the settings of this package.
    .target(
      name: "KeychainShapes", dependencies: ["Security"], path: "Tests/Support/KeychainShapes",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // The same for code without `import Security`, by the line that the page has for packages.
    .target(
      name: "KeychainImplicit", dependencies: ["Security"], path: "Tests/Support/KeychainImplicit",
      swiftSettings: [
        .swiftLanguageMode(.v5),
        .unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "Security"]),
      ]),
    .target(
      name: "ProgramTesting", dependencies: ["CForkSupport", "CTestEnvironment"],
      path: "Tests/Support/ProgramTesting",
      swiftSettings: house),
    // Readers of outside input, as libFuzzer and the tests run them.
    .target(
      name: "FuzzTesting", dependencies: ["VaultModel"], path: "Tests/Support/FuzzTesting",
      swiftSettings: house),
    .target(name: "TestTraits", path: "Tests/Support/TestTraits", swiftSettings: house),
    .target(
      name: "HTTPTesting",
      dependencies: [
        "ProgramTesting", "TestSupport", "HTTPAuthentication", "CredentialVault", "VaultModel",
        "SecureMemory", "CVaultCurl",
      ],
      path: "Tests/Support/HTTPTesting", swiftSettings: house),
    // Names that are resolved when a test says so.
    .target(name: "CSlowNames", path: "Tests/Support/CSlowNames"),
    // Clients in C of libcurl and OpenSSL, by the headers of the library.
    .target(
      name: "CTLSClient", dependencies: ["CVault"], path: "Tests/Support/CTLSClient",
      linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(
      name: "StoreTesting",
      dependencies: [
        "VaultStore", "SealedTree", "VaultCrypto", "VaultReports", "VaultModel", "SecureMemory",
        "VaultMigrations", "CVaultSQLite", "TestSupport",
      ],
      path: "Tests/Support/StoreTesting", swiftSettings: engine),
    .target(
      name: "AttackSupport",
      dependencies: [
        "StoreTesting", "VaultStore", "SealedTree", "VaultCrypto", "VaultReports", "VaultModel",
        "SecureMemory", "CVaultSQLite", "CFaultVFS", "TestSupport", "ProgramTesting",
      ],
      path: "Tests/Support/AttackSupport", swiftSettings: engine),
    .executableTarget(
      name: "VaultTestDriver",
      dependencies: [
        "StoreTesting", "AttackSupport", "TLSCredentials", "VaultAdministration", "CredentialVault",
        "VaultStore", "SealedTree", "VaultCrypto", "VaultModel", "SecureMemory", "CKillSwitch",
        "CFaultVFS", "TestSupport",
      ],
      path: "Tests/Support/VaultTestDriver", swiftSettings: house,
      linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])]),
    // The program that prompts at a terminal for tests.
    .executableTarget(
      name: "HTTPTestDriver",
      dependencies: ["HTTPAuthentication", "CredentialVault", "VaultModel", "SecureMemory"],
      path: "Tests/Support/HTTPTestDriver", swiftSettings: house),

    // The program that logs in on connections for tests, each with variables of its own.
    .executableTarget(
      name: "LoginTestDriver",
      dependencies: [
        "VaultTransport", "HTTPAuthentication", "TLSCredentials", "CredentialVault", "VaultModel",
        "SecureMemory",
      ],
      path: "Tests/Support/LoginTestDriver", swiftSettings: house),

    // `URLSessionTesting` is an HTTP server in the process itself. `URLSessionTestDriver` is a
    // program for uses of URLSession that could hang or deadlock the process.
    .target(
      name: "URLSessionTesting",
      dependencies: [
        "VaultURLSession", "VaultTransport", "HTTPAuthentication", "HTTPChallenge", "VaultModel",
        "SecureMemory",
      ],
      path: "Tests/Support/URLSessionTesting", swiftSettings: house),
    .executableTarget(
      name: "URLSessionTestDriver",
      dependencies: [
        "VaultURLSession", "VaultTransport", "HTTPAuthentication", "TLSCredentials",
        "CredentialVault", "VaultModel", "SecureMemory", "URLSessionTesting", "StoreTesting",
        "TestSupport", "CTestEnvironment",
      ],
      path: "Tests/Support/URLSessionTestDriver", swiftSettings: house),

    fuzzing,
    .testTarget(
      name: "SecureMemoryTests", dependencies: ["SecureMemory", "CForkSupport"],
      path: "Tests/Unit/SecureMemoryTests", swiftSettings: house),
    .testTarget(
      name: "VaultModelTests", dependencies: ["VaultModel", "SecureMemory", "TestSupport"],
      path: "Tests/Unit/VaultModelTests", swiftSettings: house),
    .testTarget(
      name: "VaultCryptoTests",
      dependencies: ["VaultCrypto", "VaultModel", "SecureMemory", "TestSupport", "CForkSupport"],
      path: "Tests/Unit/VaultCryptoTests", exclude: ["Vectors"], swiftSettings: house),
    // Programs in another login session, or where seccomp forbids keyrings, or a quota is full.
    .executableTarget(name: "KeyringTool", path: "Tests/Support/KeyringTool"),
    // Stands for Git or ssh, as whom a copy of it has its name.
    .executableTarget(name: "AskingTool", path: "Tests/Support/AskingTool"),
    .testTarget(
      name: "RememberedKeysTests",
      dependencies: [
        "VaultStore", "VaultCrypto", "VaultModel", "SecureMemory", "CVaultSystem", "TestSupport",
      ],
      path: "Tests/Unit/RememberedKeysTests", swiftSettings: house),
    // What a room does is often seen in a whole file only, and in its verification.
    .testTarget(
      name: "SealedTreeTests",
      dependencies: [
        "StoreTesting", "VaultStore", "SealedTree", "VaultCrypto", "VaultModel", "SecureMemory",
        "TestSupport",
      ],
      path: "Tests/Unit/SealedTreeTests", swiftSettings: house),
    .testTarget(
      name: "VaultSessionTests", dependencies: ["VaultStore", "VaultModel", "SecureMemory"],
      path: "Tests/Unit/VaultSessionTests", swiftSettings: house),
    .testTarget(
      name: "VaultFileTests",
      dependencies: [
        "StoreTesting", "VaultStore", "SealedTree", "VaultCrypto", "VaultReports", "VaultModel",
        "SecureMemory", "VaultMigrations", "TestSupport",
      ],
      path: "Tests/Unit/VaultFileTests", swiftSettings: house),
    .testTarget(
      name: "VaultRecoveryTests",
      dependencies: [
        "StoreTesting", "VaultStore", "SealedTree", "VaultCrypto", "VaultReports", "VaultModel",
        "SecureMemory", "TestSupport",
      ],
      path: "Tests/Unit/VaultRecoveryTests", swiftSettings: house),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "StoreTesting", "VaultAdministration", "CredentialVault", "VaultStore", "SealedTree",
        "VaultCrypto", "VaultModel", "SecureMemory", "TestSupport",
      ],
      path: "Tests/Contract/ConformanceTests", swiftSettings: house),
    .testTarget(
      name: "CredentialVaultTests",
      dependencies: [
        "VaultAdministration", "CredentialVault", "VaultStore", "SealedTree", "VaultCrypto",
        "VaultModel", "SecureMemory", "CVaultSQLite", "TestSupport", "AttackSupport",
        "StoreTesting",
      ], path: "Tests/Unit/CredentialVaultTests", swiftSettings: house),
    .testTarget(
      name: "KeychainItemsTests",
      dependencies: [
        "KeychainServices", "CredentialVault", "VaultModel", "SecureMemory", "TestSupport",
        "CForkSupport",
      ],
      path: "Tests/Unit/KeychainItemsTests", swiftSettings: house),
    .testTarget(
      name: "SecurityTests",
      dependencies: [
        "Security", "SecurityConstants", "KeychainShapes", "KeychainImplicit", "KeychainServices",
        "TLSCredentials", "CredentialVault", "VaultModel", "SecureMemory", "TestSupport",
        "CForkSupport",
      ],
      path: "Tests/Contract/SecurityTests", swiftSettings: house),
    .testTarget(
      name: "KeychainTests",
      dependencies: [
        "VaultC", "CVault", "KeychainServices", "VaultAdministration", "CredentialVault",
        "VaultModel", "SecureMemory", "TestSupport", "ProgramTesting",
      ],
      path: "Tests/Contract/KeychainTests", exclude: ["Programs"], swiftSettings: house),
    .testTarget(
      name: "AttackTests",
      dependencies: [
        "StoreTesting", "AttackSupport", "VaultAdministration", "CredentialVault", "VaultStore",
        "SealedTree", "VaultCrypto", "VaultReports", "VaultModel", "SecureMemory",
        "VaultTestDriver", "ProgramTesting", "TestSupport", "CVaultSQLite",
      ], path: "Tests/Attack/AttackTests", swiftSettings: house),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "TestTraits", "StoreTesting", "AttackSupport", "VaultAdministration", "CredentialVault",
        "VaultStore", "SealedTree", "VaultCrypto", "VaultModel", "SecureMemory", "VaultTestDriver",
        "CVaultSodium", "CFaultVFS", "TestSupport",
      ], path: "Tests/Attack/CrashTests", swiftSettings: house),
    .testTarget(
      name: "CInterfaceTests",
      dependencies: [
        "TestTraits", "CVault", "VaultC", "VaultAdministration", "CredentialVault", "VaultModel",
        "SecureMemory", "TestSupport", "ProgramTesting",
      ],
      path: "Tests/Contract/CInterfaceTests", exclude: ["Programs"], swiftSettings: house),
    .testTarget(
      name: "InterchangeTests",
      dependencies: ["Interchange", "VaultModel", "SecureMemory", "TestSupport", "ProgramTesting"],
      path: "Tests/Unit/InterchangeTests", exclude: ["Files"], swiftSettings: house),
    .testTarget(
      name: "OneTimePasswordsTests",
      dependencies: ["OneTimePasswords", "VaultModel", "SecureMemory", "TestSupport"],
      path: "Tests/Unit/OneTimePasswordsTests", swiftSettings: house),
    .testTarget(
      name: "VaultTerminalTests",
      dependencies: [
        "VaultTerminal", "CredentialVault", "VaultModel", "SecureMemory", "TestSupport",
      ],
      path: "Tests/Unit/VaultTerminalTests", swiftSettings: house),
    .testTarget(
      name: "HTTPChallengeTests", dependencies: ["HTTPChallenge", "VaultModel", "TestSupport"],
      path: "Tests/Unit/HTTPChallengeTests", swiftSettings: house),
    .testTarget(
      name: "HTTPAuthenticationTests",
      dependencies: [
        "HTTPAuthentication", "GSSAuthentication", "HTTPChallenge", "CredentialVault",
        "VaultTerminal", "VaultModel", "SecureMemory", "TestSupport", "ProgramTesting",
        "HTTPTesting", "HTTPTestDriver", "vaultctl",
      ], path: "Tests/Unit/HTTPAuthenticationTests", swiftSettings: house),
    .testTarget(
      name: "VaultTransportTests",
      dependencies: [
        "VaultTransport", "HTTPAuthentication", "VaultModel", "SecureMemory", "CVaultLibssl",
      ],
      path: "Tests/Unit/VaultTransportTests", swiftSettings: house),
    .testTarget(
      name: "TLSCredentialsTests",
      dependencies: [
        "TLSCredentials", "CredentialVault", "VaultModel", "SecureMemory", "TestSupport",
      ],
      path: "Tests/Unit/TLSCredentialsTests", exclude: ["certificates.py", "PKITS"],
      swiftSettings: house),
    .testTarget(
      name: "vaultctlTests",
      dependencies: [
        "TestTraits", "StoreTesting", "ProgramTesting", "VaultCommands", "vaultctl", "vaultctl-tls",
        "KeyringTool", "AskingTool", "TestSupport", "Interchange",
        "CredentialVault", "VaultReports",
        "VaultStore", "SealedTree", "VaultCrypto", "VaultTerminal", "VaultModel", "SecureMemory",
      ],
      path: "Tests/System/vaultctlTests", exclude: ["Programs", "Transcripts"], swiftSettings: house
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "TestTraits", "KeychainServices", "VaultAdministration", "CredentialVault",
        "HTTPAuthentication", "VaultTransport", "VaultURLSession", "Security", "Interchange",
        "TLSCredentials", "VaultReports", "VaultModel", "ProgramTesting", "TestSupport",
      ], path: "Tests/Contract/DocumentationTests", swiftSettings: house),
    .testTarget(
      name: "ParityTests",
      dependencies: [
        "CVault", "VaultC", "TLSCredentials", "CredentialVault", "VaultModel", "SecureMemory",
        "TestSupport", "AttackSupport", "ProgramTesting",
      ], path: "Tests/Contract/ParityTests", swiftSettings: house),
    .testTarget(
      name: "IntegrationTests", dependencies: ["TestTraits", "ProgramTesting", "KeyringTool"],
      path: "Tests/System/IntegrationTests", exclude: ["Programs"], swiftSettings: house),
    .testTarget(
      name: "HTTPServerTests",
      dependencies: [
        "HTTPTesting", "ProgramTesting", "TestSupport", "HTTPAuthentication", "CredentialVault",
        "VaultModel", "SecureMemory",
      ], path: "Tests/System/HTTPServerTests", swiftSettings: house),
    .testTarget(
      name: "TLSServerTests",
      dependencies: [
        "TestTraits", "CTLSClient", "CVault", "VaultC", "TLSCredentials", "ProgramTesting",
        "vaultctl", "vaultctl-tls", "VaultModel", "SecureMemory",
      ], path: "Tests/System/TLSServerTests", swiftSettings: house),
    .testTarget(
      name: "TransportServerTests",
      dependencies: [
        "TestTraits", "HTTPTesting", "URLSessionTesting", "ProgramTesting", "TestSupport",
        "CSlowNames", "CTLSClient", "CVault", "VaultC", "LoginTestDriver", "vaultctl",
        "VaultTransport", "HTTPAuthentication", "TLSCredentials", "CredentialVault",
        "VaultModel", "SecureMemory",
      ],
      path: "Tests/System/TransportServerTests", exclude: ["certificates.py", "Programs"],
      swiftSettings: house),
    .testTarget(
      name: "VaultURLSessionTests",
      dependencies: [
        "TestTraits",
        "VaultURLSession", "VaultTransport", "HTTPAuthentication", "VaultAdministration",
        "CredentialVault", "VaultModel", "SecureMemory", "StoreTesting", "TestSupport",
        "ProgramTesting", "URLSessionTesting", "URLSessionTestDriver",
      ],
      path: "Tests/Unit/VaultURLSessionTests", swiftSettings: house),
    .testTarget(
      name: "URLProtocolServerTests",
      dependencies: [
        "TestTraits", "ProgramTesting", "URLSessionSecurity", "Security", "VaultURLSession",
        "VaultTransport", "HTTPAuthentication", "TLSCredentials", "CredentialVault", "VaultModel",
        "SecureMemory", "URLSessionTestDriver",
      ],
      path: "Tests/System/URLProtocolServerTests", swiftSettings: house),
    .testTarget(
      name: "URLSessionServerTests",
      dependencies: [
        "VaultURLSession", "HTTPAuthentication", "CredentialVault", "VaultModel", "SecureMemory",
        "TestSupport", "ProgramTesting", "HTTPTesting", "URLSessionTesting", "URLSessionTestDriver",
      ],
      path: "Tests/System/URLSessionServerTests", swiftSettings: house),
  ]
)

// libFuzzer brings the only `main`: no other program or test is built.
if isForFuzzing {
  package.products.append(.executable(name: "VaultFuzzer", targets: ["VaultFuzzer"]))
  package.targets = package.targets.filter { $0.type != .test }
}
