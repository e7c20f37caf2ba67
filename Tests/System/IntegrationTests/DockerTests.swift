import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Debian's Docker client, without its daemon, at a registry behind TLS and Basic.
///
/// Without the daemon the client itself logs in, and asks the registry for an image's manifest.
@Suite("docker against a real registry", .waiting, .serialized)
struct DockerTests {
  let sandbox: Sandbox
  let server: HTTPServer
  let environment: [String: String?]

  /// The client, unpacked by the first test that needs it.
  static let docker: Result<String, any Error> = Result {
    let sandbox = try Sandbox()
    let script = Project.root.appending(path: "Scripts/servers").path
    let result = try sandbox.run([script, "docker.io"], limit: 600)
    guard result.status == 0 else { throw Failure(description: result.errors) }
    return Project.root.appending(path: ".build/servers/docker.io/usr/bin/docker").path
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let image = """
    {"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":[]}}
    """

  init() throws {
    sandbox = try Sandbox()
    let folder = sandbox.folder.appending(path: "registry")
    let script = """
      mkdir -p "$0/registry" && cd "$0/registry" && printf '{}' >base && cat >configuration
      digest=$(sha256sum <configuration)
      printf '{"schemaVersion":2,"mediaType":"%s","config":{"mediaType":"%s","size":%s,"digest":"sha256:%s"},"layers":[]}' \
        application/vnd.docker.distribution.manifest.v2+json \
        application/vnd.docker.container.image.v1+json "$(wc -c <configuration)" "${digest%% *}" >manifest
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
        -keyout ../server.key -out ../server.pem -subj /CN=test -addext subjectAltName=IP:127.0.0.1
      """
    let made = try sandbox.run("sh", "-ec", script, folder.path, input: Self.image)
    try #require(made.status == 0, "\(made.errors)")
    server = try HTTPServer(
      "registry", in: sandbox, name: "registry", users: ["ann": "correct horse", "ci": "pull"])
    environment = [
      "DOCKER_HOST": "unix:///nonexistent", "DOCKER_CONFIG": sandbox.home.path,
      "SSL_CERT_FILE": folder.appending(path: "server.pem").path,
    ]
    try Data(#"{"credsStore":"vaultctl"}"#.utf8)
      .write(to: sandbox.home.appending(path: "config.json"))
    try #require(try sandbox.makeVault().status == 0)
  }

  var registry: String { "127.0.0.1:\(server.port)" }

  func docker(
    _ words: String..., input: String = "", environment changes: [String: String?] = [:]
  ) throws -> Sandbox.Result {
    try sandbox.run(
      [Self.docker.get()] + words, input: input,
      environment: environment.merging(changes) { $1 })
  }

  func logIn(environment changes: [String: String?] = [:]) throws -> Sandbox.Result {
    try docker(
      "login", "-u", "ann", "--password-stdin", registry, input: "correct horse",
      environment: changes)
  }

  /// Returns who asked the registry for the image's manifest, in their order, once one has.
  func readers() throws -> [String] {
    try server.requests(1, containing: "/manifests/").compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
  }

  @Test("a login is kept in the vault alone, serves a lookup, and ends with the logout")
  func login() throws {
    let login = try logIn()
    #expect(login.status == 0, "\(login.errors)")
    #expect(login.output.contains("Login Succeeded"))
    let configuration = try String(
      contentsOf: sandbox.home.appending(path: "config.json"), encoding: .utf8)
    #expect(configuration.contains(registry) && !configuration.contains("\"auth\":"))
    let stored = try sandbox.run("vaultctl", "find", "-s", "127.0.0.1", "-w")
    #expect(stored.output == "correct horse\n")
    let image = try docker("manifest", "inspect", "\(registry)/team/app")
    #expect(image.status == 0, "\(image.errors)")
    #expect(image.output.contains("schemaVersion"))
    #expect(try readers() == ["ann"])

    let vault = sandbox.home.appending(path: "test.vault")
    let before = try Data(contentsOf: vault)
    #expect(try logIn().status == 0)
    #expect(try Data(contentsOf: vault) == before)

    let logout = try docker("logout", registry)
    #expect(logout.status == 0, "\(logout.errors)")
    #expect(try sandbox.run("vaultctl", "list").output == "")
    let refused = try docker("manifest", "inspect", "\(registry)/team/app")
    #expect(refused.status != 0)
    #expect(refused.errors.contains("no basic auth credentials"))
    #expect(try readers() == ["ann"])
  }

  @Test("an item that a person added for Docker serves its lookups")
  func added() throws {
    let add = try sandbox.run(
      "vaultctl", "add", "https://ci@\(registry)", "--origin", "docker", "--password-stdin",
      input: "pull")
    try #require(add.status == 0, "\(add.errors)")
    #expect(try docker("manifest", "inspect", "\(registry)/team/app").status == 0)
    #expect(try readers() == ["ci"])
  }

  @Test("another program's item of the host is neither used nor removed")
  func others() throws {
    let add = try sandbox.run(
      "vaultctl", "add", "https://ci@\(registry)", "--password-stdin", input: "pull")
    try #require(add.status == 0, "\(add.errors)")
    #expect(try docker("manifest", "inspect", "\(registry)/team/app").status != 0)
    #expect(try logIn().status == 0)
    #expect(try docker("manifest", "inspect", "\(registry)/team/app").status == 0)
    #expect(try readers() == ["ann"])
    #expect(try docker("logout", registry).status == 0)
    #expect(
      try sandbox.run("vaultctl", "find", "-s", "127.0.0.1", "-a", "ci", "-w").output == "pull\n")
  }

  @Test("a locked vault fails the login with a reason, and is not waited for")
  func locked() throws {
    let login = try logIn(environment: ["VAULTCTL_KEY_FILE": .none])
    #expect(login.status == 1)
    #expect(login.errors.contains("Error saving credentials"))
    #expect(login.errors.contains("none was given"))
    #expect(!(login.output + login.errors).contains("correct horse"))
  }
}
