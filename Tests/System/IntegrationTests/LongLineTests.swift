import Foundation
import ProgramTesting
import TestTraits
import Testing

/// A file of one entry whose secret is 100 MB long: hostile, or damaged by what wrote it.
@Suite("An import of a line of 100 MB", .waiting, .serialized)
struct LongLineTests {
  struct File: CustomTestStringConvertible {
    let format: String
    let before: String
    var after = "\n"

    var testDescription: String { format }
  }

  static let files = [
    File(
      format: "firefox", before: "url,username,password\nhttps://a.example.com,ann,\"",
      after: "\"\n"),
    File(format: "chrome", before: "name,url,username,password\na,https://a.example.com,ann,"),
    File(
      format: "apple",
      before: "Title,URL,Username,Password,Notes,OTPAuth\na,https://a.example.com,ann,"),
    File(
      format: "bitwarden",
      before: """
        folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,\
        login_totp
        ,,login,a,,,0,https://a.example.com,ann,
        """,
      after: ",\n"),
    File(
      format: "bitwarden-json",
      before: """
        {"items":[{"type":1,"name":"a","login":{"uris":[{"uri":"https://a.example.com"}],\
        "username":"ann","password":"
        """,
      after: #""}}]}"#),
    File(
      format: "1password",
      before: """
        Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
        a,https://a.example.com,ann,
        """,
      after: ",,,,,\n"),
    File(
      format: "keepassxc",
      before: """
        Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created
        Root,a,ann,"
        """,
      after: "\",https://a.example.com,,,0,,\n"),
    File(
      format: "keepass-xml",
      before: """
        <?xml version="1.0"?><KeePassFile><Root><Group><Entry><String><Key>Password</Key><Value>
        """,
      after: "</Value></String></Entry></Group></Root></KeePassFile>"),
    File(
      format: "lastpass",
      before: "url,username,password,totp,extra,name,grouping,fav\nhttps://a.example.com,ann,",
      after: ",,,a,,0\n"),
    File(format: "netrc", before: "machine a login ann password "),
    File(format: "git-credentials", before: "https://ann:", after: "@a.example.com\n"),
    File(format: "docker", before: #"{"auths":{"a.example.com":{"auth":""#, after: #""}}}"#),
    File(
      format: "keychain-dump", before: "keychain: \"x\"\nclass: \"genp\"\ndata:\n\"", after: "\"\n"),
    File(format: "secret-tool", before: "[/1]\nlabel = a\nsecret = "),
    File(
      format: "json",
      before: #"{"format":"vaultctl-export","version":1,"items":[{"secret":""#, after: #""}]}"#),
  ]

  @Test("is refused in bounded memory, and nothing is imported", arguments: files)
  func refused(_ file: File) throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let made = try sandbox.run(
      "sh", "-c",
      #"{ printf %s "$1"; head -c 100000000 /dev/zero | tr '\0' x; printf %s "$2"; } >long"#,
      "sh", file.before, file.after)
    try #require(made.status == 0)
    // The release build: the other needs half a minute for each. One heap: glibc reserves 64 MiB of
    // addresses for that of a second thread, if two of them allocate in the same moment.
    let imported = try sandbox.run(
      "sh", "-c", #"ulimit -v 131072 && MALLOC_ARENA_MAX=1 exec "$1" import --strict "$2" long"#,
      "sh", Project.releaseProgram.path, file.format)
    #expect(imported.status == 65, "\(imported.errors)")
    #expect(
      imported.errors.contains("1 entry was rejected") || imported.errors.contains("longer than")
        || imported.errors.contains("too long"), "\(imported.errors)")
    #expect(imported.errors.utf8.count < 1000)
    #expect(try sandbox.run("vaultctl", "list").output == "")
  }
}
