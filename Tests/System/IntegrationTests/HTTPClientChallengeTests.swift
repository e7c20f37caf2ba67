import Foundation
import ProgramTesting
import Testing

@Suite("Examples/HTTPClient and what it is asked")
struct HTTPClientChallengeTests {
  @Test("of the challenges in all fields the strongest counts, with its own realm")
  func strongest() throws {
    let sandbox = try Sandbox()
    let main = """
      #include <stdio.h>
      #include "challenge.h"
      int main(int count, char **fields) {
        struct challenge challenge = {0};
        for (int index = 1; index < count; index++) challenge_read(&challenge, fields[index]);
        printf("%s|%s", challenge.method ? challenge.method : "-", challenge.realm);
      }
      """
    let source = sandbox.home.appending(path: "main.c")
    try Data(main.utf8).write(to: source)
    let example = Project.root.appending(path: "Examples/HTTPClient").path
    let build = try sandbox.run(
      "cc", "-std=c11", "-D_DEFAULT_SOURCE", "-I\(example)", "-o", "challenge", source.path,
      "\(example)/challenge.c")
    try #require(build.status == 0, "\(build.errors)")
    for (fields, expected) in Self.challenges {
      let read = try sandbox.run(["./challenge"] + fields)
      #expect(read.status == 0 && read.output == expected, "\(fields)")
    }
  }

  static let challenges: [([String], String)] = [
    ([], "-|"),
    ([#"Basic realm="Team Files""#], "basic|Team Files"),
    (["bAsIc REALM = Team , charset=\"UTF-8\""], "basic|Team"),
    (["Basic"], "basic|"),
    ([#"Basic realm="B""#, #"Digest nonce="n", realm="D""#], "digest|D"),
    ([#"Digest realm="D", qop="auth,auth-int", Basic realm="B""#], "digest|D"),
    ([#"Digest realm="D""#, #"Digest realm="other""#], "digest|D"),
    // RFC 9110 §11.6.1's own example.
    (
      [#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#],
      "basic|simple"
    ),
    ([#"Digest opaque=", Basic realm=", realm="say \"D\" \\""#], #"digest|say "D" \"#),
    (["Negotiate YII==", "NTLM", #"Bearer realm="Basic""#, ",,"], "-|"),
    // No part of a realm, which would be another realm.
    (
      ["Basic realm=\"\(String(repeating: "a", count: 511))\""],
      "basic|\(String(repeating: "a", count: 511))"
    ),
    (["Basic realm=\"\(String(repeating: "a", count: 512))\""], "-|"),
    ([#"Basic realm="Team"#], "-|"),
    ([#"Basic realm=""#], "-|"),
    ([#"Basic realm="\"#], "-|"),
  ]
}
