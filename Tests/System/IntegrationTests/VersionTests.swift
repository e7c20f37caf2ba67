import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The version of what is installed, and those of the libraries in it.
@Suite("versions", .waiting)
struct VersionTests {
  private struct Component: Decodable {
    struct Property: Decodable {
      let name: String
      let value: String
    }

    let name: String
    let version: String
    let properties: [Property]
  }

  private struct Bill: Decodable {
    struct Metadata: Decodable { let component: Component }

    let metadata: Metadata
    let components: [Component]
  }

  private struct Versions: Decodable {
    struct Library: Decodable {
      let name: String
      let version: String
    }

    let version: String
    let libraries: [Library]
  }

  private let sandbox: Sandbox
  private let prefix: URL
  /// That of the first section of the changes.
  private let version: String

  init() throws {
    sandbox = try Sandbox()
    prefix = sandbox.prefix
    let changes = try Project.text(of: "CHANGELOG.md")
    let section = try #require(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
    version = try String(#require(section.firstMatch(of: #/\d+\.\d+\.\d+/#)).output)
    let result = try sandbox.installLibrary()
    try #require(result.status == 0, "\(result.errors)")
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: prefix.appending(path: path), encoding: .utf8)
  }

  private func files(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: prefix.appending(path: folder).path)
  }

  private func bill() throws -> Bill {
    let script = Project.root.appending(path: "Scripts/sbom").path
    let result = try sandbox.run("python3", script, version, "a commit")
    try #require(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Bill.self, from: Data(result.output.utf8))
  }

  /// The programs of the extras, below the folder of the installation.
  private static func extras() throws -> [String] {
    try Project.extras.map { extra in
      let file = extra.appending(path: "Packaging/program")
      return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    }
  }

  @Test(
    "every program says its name and the one version",
    arguments: ["bin/vaultctl", "libexec/vaultctl-tls"] + (try extras()))
  func programs(_ program: String) throws {
    let said = try sandbox.run(prefix.appending(path: program).path, "--version")
    let name = try #require(program.split(separator: "/").last)
    #expect(said.output == "\(name) \(version)\n", "\(said.errors)")
    #expect(said.status == 0)
  }

  @Test("the library, its pkg-config file, man pages, packages and bill of materials have it")
  func others() throws {
    #expect(try text("lib/pkgconfig/credentialvault.pc").contains("\nVersion: \(version)\n"))
    #expect(try files("lib").contains("libcredentialvault.so.\(version)"))
    let pages = try files("share/man/man1")
    #expect(pages.count >= 4)
    for page in pages {
      #expect(try text("share/man/man1/\(page)").contains("\"vaultctl \(version)\""), "\(page)")
    }
    // The packages are made of these, with the version that the program says.
    let folder = Project.root.appending(path: "Packaging/control")
    var packages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .map { ($0, folder.appending(path: $0)) }
    #expect(packages.count == 4)
    for (extra, program) in zip(Project.extras, try Self.extras()) {
      let name = try #require(program.split(separator: "/").last)
      packages.append((String(name), extra.appending(path: "Packaging/control")))
    }
    for (package, file) in packages {
      let control = try String(contentsOf: file, encoding: .utf8)
      #expect(control.hasPrefix("Package: \(package)\nVersion: @version@\n"), "\(package)")
    }
    #expect(try bill().metadata.component.version == version)
    // A tag at this very commit, if there is one, is that of the version.
    let tags = try sandbox.run("git", "-C", Project.root.path, "tag", "--points-at", "HEAD")
    #expect(tags.lines.filter { $0.hasPrefix("v") }.allSatisfy { $0 == "v\(version)" })
  }

  @Test("version --json names what the bill of materials calls static, with the same versions")
  func libraries() throws {
    let said = try sandbox.run(prefix.appending(path: "bin/vaultctl").path, "version", "--json")
    let versions = try JSONDecoder().decode(Versions.self, from: Data(said.output.utf8))
    #expect(versions.version == version)
    let linked = try bill().components.filter { component in
      component.properties.contains { $0.name == "linked" && $0.value.hasPrefix("static") }
    }
    #expect(linked.map(\.name).sorted() == versions.libraries.map(\.name).sorted())
    for library in versions.libraries {
      let component = try #require(linked.first { $0.name == library.name })
      // Debian puts an epoch before the version, and its own number behind it.
      let known = component.version.split(separator: ":").last ?? ""
      #expect(!library.version.isEmpty && known.hasPrefix(library.version), "\(library.name)")
    }
  }
}
