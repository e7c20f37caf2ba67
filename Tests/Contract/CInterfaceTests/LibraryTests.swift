import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The C library, used by a program that has nothing of Swift.
@Suite("the C library", .waiting)
struct LibraryTests {
  private let installation: CInstallation

  init() throws {
    installation = try CInstallation.shared.get()
  }

  @Test("the library shows the functions of the headers and nothing else")
  func symbols() throws {
    let lines = try installation.output(["nm", "-D", "--defined-only", installation.library])
    let names = lines.split(separator: "\n").compactMap { $0.split(separator: " ").last }
    let declared = try Prototype.all.map(\.name) + Prototype.constants()
    #expect(Set(names.map(String.init)) == Set(declared))
    #expect(names.allSatisfy { $0.hasPrefix("vault_") || $0.hasPrefix("Vault") })
  }

  @Test("the library names itself with its version, and needs no Swift")
  func dependencies() throws {
    let dynamic = try installation.output(["readelf", "-d", installation.library])
    #expect(dynamic.contains("Library soname: [libcredentialvault.so.0]"))
    #expect(!dynamic.lowercased().contains("swift"))
    #expect(dynamic.contains("libsqlite3.so.0"))
    #expect(!dynamic.contains("TEXTREL"))
    #expect(dynamic.contains("NODELETE"))
    #expect(dynamic.contains("BIND_NOW") || dynamic.contains("Flags: NOW"))
  }

  @Test(
    "the header compiles without a warning, and a program that uses it runs",
    arguments: [
      ["gcc", "-std=c11"], ["gcc", "-std=c99", "-pedantic"], ["clang", "-std=c11", "-Weverything"],
      ["clang", "-std=c11", "-pedantic", "-include", "vault_keychain.h"],
      ["g++", "-std=c++17", "-pedantic", "-x", "c++"], ["clang++", "-std=c++17", "-x", "c++"],
    ])
  func header(_ compiler: [String]) throws {
    // Declarations after statements are not mistakes, and neither is padding.
    let quiet = ["-Wno-declaration-after-statement", "-Wno-padded", "-Wno-unsafe-buffer-usage"]
    let program = try installation.program(
      "header", compiler: compiler + (compiler[0] == "clang" ? quiet : []))
    let result = try installation.run(program, [])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// The programs that go through the interface; those for CoreFoundation and keychains know
  /// Apple's names only.
  static let programs = [
    "whole", "http", "identities", "tls", "network", "keychain", "corefoundation", "sectrust",
    "integers",
  ]

  private func compiled(_ name: String, compiler: String = "gcc") throws -> String {
    let compat = try installation.flags("--variable=compatdir")
    let flags = ["-std=gnu11", "-Wpedantic"] + compat.map { "-I\($0)" }
    return try installation.program(name, compiler: [compiler] + flags)
  }

  @Test(
    "programs go through the whole interface with nothing but the C library",
    arguments: programs, ["gcc", "clang"])
  func whole(_ program: String, _ compiler: String) throws {
    let result = try installation.run(compiled(program, compiler: compiler), [])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(
    "a constant is one address in a program and its libraries, which static variables begin with",
    arguments: ["gcc", "clang", "g++", "clang++"], ["-O0", "-O2"])
  func addresses(_ compiler: String, _ level: String) throws {
    let names = try Prototype.strings().keys.sorted()
    let values = names + ["kCFBooleanTrue", "kCFNull", "&kCFTypeArrayCallBacks"]
    let language = compiler.hasSuffix("++") ? ["-x", "c++"] : ["-std=gnu11"]
    let flags = [compiler, level] + language
    let compat = try installation.flags("--variable=compatdir").map { "-I\($0)" }
    let folder = installation.sandbox.folder.path + "/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // One file in the program, and one in a library that it loads.
    let header = """
      #include <CFNetwork/CFNetwork.h>
      #include <Security/Security.h>
      #include <dlfcn.h>

      """
    func table(_ name: String) -> String {
      "const void *const \(name)[] = {\n\(values.joined(separator: ",\n"))};\n"
    }
    let other = """
      #ifdef __cplusplus
      extern "C"
      #endif
      const void *constants_of_library(unsigned index);
      static \(table("values"))
      const void *constants_of_library(unsigned index) { return values[index]; }

      """
    let library = "\(folder)/library.so"
    try Data((header + other).utf8).write(to: URL(filePath: "\(folder)/library.c"))
    _ = try installation.output(
      flags + compat + ["-shared", "-fPIC", "\(folder)/library.c", "-o", library]
        + installation.flags("--cflags", "--libs"))
    let text =
      header + "static " + table("values") + """
        static const CFStringRef *const places[] = {&kSecClass, &kSecAttrAccount};

        int main(int count, char **words) {
          if (count < 2 || *places[0] != kSecClass) return 2;
          void *library = dlopen("\(library)", RTLD_NOW | RTLD_LOCAL);
          if (library == NULL) return 3;
          typedef const void *(*Getter)(unsigned);
          Getter get = (Getter)dlsym(library, "constants_of_library");
          for (unsigned index = 0; index < sizeof values / sizeof *values; index += 1) {
            if (get(index) == values[index]) continue;
            fprintf(stderr, "%u differs\\n", index);
            return 4;
          }
          /* A dictionary that compares addresses. */
          const void *keys[] = {get(0)}, *one[] = {"value"};
          CFDictionaryRef dictionary = CFDictionaryCreate(NULL, keys, one, 1, NULL, NULL);
          const int found = CFDictionaryGetValue(dictionary, values[0]) == one[0];
          CFRelease(dictionary);
          return words[0] != NULL && found ? 0 : 5;
        }

        """
    let program = try installation.program("addresses", text: text, compiler: flags + compat)
    let result = try installation.run(program, [])
    #expect(result.status == 0, "\(result.errors)")
    #expect(names.count > 240)
  }

  @Test(
    "a program in Go uses references as on Apple's systems",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/go")))
  func go() throws {
    let source = Project.root.appending(path: "Tests/Contract/CInterfaceTests/Programs/cgo").path
    let program = installation.sandbox.folder.appending(path: "cgo").path
    let compat = try installation.flags("--variable=compatdir").map { "-I\($0)" }
    let flags = try installation.flags("--cflags") + compat + ["-DVAULT_INTEGER_REFERENCES"]
    let libraries = try installation.flags("--libs")
    _ = try installation.output([
      "env", "CGO_ENABLED=1", "CGO_CFLAGS=\(flags.joined(separator: " "))",
      "CGO_LDFLAGS=\(libraries.joined(separator: " "))", "GO111MODULE=off", "GOFLAGS=",
      "GOCACHE=\(program)-cache", "GOPATH=\(program)-path", "/usr/bin/go", "build", "-o", program,
      "\(source)/main.go",
    ])
    let result = try installation.run(program, [])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("those programs use every function that there is")
  func complete() throws {
    let text = try Self.programs.map {
      try Project.text(of: "Tests/Contract/CInterfaceTests/Programs/\($0).c")
    }.joined()
    let names = try Prototype.applesNames()
    for function in Prototype.all {
      let isUsed = [function.name, names[function.name]].compactMap(\.self)
        .contains { text.contains("\($0)(") }
      #expect(isUsed, "\(function)")
    }
  }

  private static let valgrind = [
    "/usr/bin/valgrind", "-q", "--leak-check=full", "--error-exitcode=98",
    "--errors-for-leak-kinds=definite,indirect", "--show-leak-kinds=definite,indirect",
  ]

  @Test(
    "the library leaks nothing and reads and writes only what is its own", arguments: programs)
  func memory(_ program: String) throws {
    let result = try installation.run(compiled(program), [], by: Self.valgrind)
    #expect(result.status == 0, "\(result.errors)")
  }

  private static let hasKeyrings: Bool = {
    let tool = Project.products.appending(path: "KeyringTool").path
    return (try? Sandbox().run(tool, "count", "vaultctl:").status) == 0
  }()

  @Test(
    "a program opens a vault with the key that is remembered, and shares the session with others",
    .enabled("the kernel's keyrings are denied here") { hasKeyrings })
  func remembered() throws {
    let home = try installation.folder()
    let memory = "/dev/shm/vaultctl-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: memory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: memory) }
    let clean = ["env", "-i", "HOME=\(home)", "XDG_RUNTIME_DIR=\(memory)"]
    let program = try installation.program("remembered")
    let vaultctl =
      clean + [Project.products.appending(path: "vaultctl").path, "--vault", "\(home)/v"]
    let pass = ["--passphrase-file", "\(home)/pass", "-q"]
    _ = try installation.output(
      ["sh", "-c", "umask 077; printf 'correct horse' > \"$0\"", "\(home)/pass"])
    _ = try installation.output(vaultctl + ["init", "--kdf", "1:8"] + pass)
    func run(_ mode: String) throws -> Sandbox.Result {
      try installation.sandbox.run(clean + [program, mode, "\(home)/v"])
    }
    // Locked: the session is not reached.
    #expect(try run("store").status != 0)
    _ = try installation.output(vaultctl + ["unlock"] + pass)
    for mode in ["store", "find"] {
      let result = try run(mode)
      #expect(result.status == 0, "\(result.errors)")
    }
    _ = try installation.output(vaultctl + ["lock", "-q"])
    #expect(try run("find").status != 0)
  }

  @Test(
    "OpenSSL and libcurl trust a server as the vault does", arguments: ["gcc", "clang"])
  func openssl(_ compiler: String) throws {
    let libraries = ["-Wl,--no-as-needed", "-lcurl", "-lssl", "-lcrypto"]
    let program = try installation.program(
      "openssl", compiler: [compiler, "-std=gnu11"] + libraries)
    let result = try installation.run(program, [])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("in a forked child nothing waits, and everything is locked")
  func fork() throws {
    let result = try installation.run(installation.program("fork"), [])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("threads share a vault and an item, and every count is exact")
  func threads() throws {
    let result = try installation.run(installation.program("threads"), [])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("threads add, find, change and delete by SecItem, and nothing is lost or left")
  func items() throws {
    let program = try compiled("items")
    let result = try installation.run(program, ["304"])
    #expect(result.status == 0, "\(result.errors)")
    let watched = try installation.run(program, ["40"], by: Self.valgrind)
    #expect(watched.status == 0, "\(watched.errors)")
  }

  @Test("no secret stays in memory after it was given back")
  func scan() throws {
    // The resolver of calls that are bound late would save registers, and with them a part of the
    // secret, on the stack.
    let result = try installation.run(
      installation.program("scan"), [], by: ["/usr/bin/env", "LD_BIND_NOW=1"])
    #expect(result.status == 0, "\(result.errors)")
    let found = result.lines.map { $0.split(separator: " ") }
      .map { (String($0[0]), Int($0[1]) ?? -1) }
    // Secrets in use are found, or the scan would prove nothing.
    let held: Set = [
      "named", "copied", "opened", "password", "content", "data", "matched", "requested",
      "identity", "identity-pem",
    ]
    for (step, count) in found {
      // A key of Ed25519 has two whole fragments; its PEM is Base64, and here beside its DER.
      let least = step.hasPrefix("identity") ? 2 : 3
      #expect(held.contains(step) ? count >= least : count == 0, "\(step): \(count)")
    }
    #expect(found.count == 23)
  }
}
