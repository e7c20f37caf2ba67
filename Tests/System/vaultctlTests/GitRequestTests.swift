import SecureMemory
import Testing
import VaultModel

@testable import VaultCommands

@Suite("GitRequest")
struct GitRequestTests {
  private func request(_ text: String) throws -> GitRequest {
    try GitRequest(Secret(text))
  }

  @Test("attributes are read up to an empty line")
  func attributes() throws {
    let request = try request(
      "protocol=https\nhost=example.com:8443\npath=a=b\nusername=\npassword=p=w \n"
        + "password_expiry_utc=10\noauth_refresh_token=token\n\nhost=other\n")
    #expect(request.networkProtocol == "https")
    #expect(request.host == "example.com:8443")
    #expect(request.path == "a=b")
    #expect(request.username == "")
    #expect(request.password?.isEqual(to: Secret("p=w ")) == true)
    #expect(request.passwordExpiry == Timestamp(seconds: 10))
    #expect(request.refreshToken?.isEqual(to: Secret("token")) == true)
  }

  @Test("the end of the input ends the last line")
  func end() throws {
    let request = try request("protocol=https\nhost=h")
    #expect(request.host == "h")
    #expect(try self.request("").host == nil)
  }

  @Test("the last of two values counts, and unknown keys are passed over")
  func unknown() throws {
    #expect(try request("host=a\nhost=b\nquit=0\nfuture[]=1\n=x\n").host == "b")
  }

  @Test("lists keep their order, and an empty value empties them")
  func lists() throws {
    let request = try request(
      "wwwauth[]=one\nwwwauth[]=\nwwwauth[]=two\nwwwauth[]=three\ncapability[]=state\n")
    #expect(request.challenges == ["two", "three"])
    #expect(request.capabilities == ["state"])
  }

  @Test("a secret after a scheme is one to store if the scheme is Bearer")
  func schemes() throws {
    let bearer = try request("authtype=bEARER\ncredential=a b=c\nstate[]=x\n")
    #expect(bearer.isForToken && !bearer.hasOtherSecret)
    #expect(bearer.secret?.isEqual(to: Secret("a b=c")) == true)
    for lines in ["authtype=Digest\ncredential=c\n", "authtype=Bearer\n", "credential=c\n"] {
      let other = try request(lines)
      #expect(!other.isForToken && other.hasOtherSecret && other.secret == nil)
      #expect(try request(lines + "password=p\n").secret?.isEqual(to: Secret("p")) == true)
    }
  }

  @Test("a line may end in CR and LF")
  func carriageReturns() throws {
    let request = try request("protocol=https\r\nhost=h\r\n\r\nhost=x\n")
    #expect(request.networkProtocol == "https")
    #expect(request.host == "h")
  }

  @Test(
    "malformed lines are invalidData, and are not repeated",
    arguments: ["hunter2\n", "password=hun\rter2\n", "password=hunter2\0\n", "host=h\nhunter2"])
  func malformed(_ text: String) throws {
    let error = try #require(throws: VaultError.self) { try request(text) }
    #expect(error.code == .invalidData)
    #expect(!error.description.contains("hun"))
  }

  @Test("a line has at most 65535 bytes with its line feed", arguments: [65_534, 65_535, 65_536])
  func longest(_ count: Int) throws {
    let line = "host=" + String(repeating: "a", count: count - 6) + "\n"
    if count <= 65_535 {
      #expect(try request(line).host?.count == count - 6)
    } else {
      #expect(throws: VaultError(.invalidData, "")) { try request(line) }
    }
  }

  @Test("what is not UTF-8 is known to match nothing")
  func bytes() throws {
    let bytes: [UInt8] = Array("username=".utf8) + [0xFF, 0x0A]
    let secret = unsafe Secret(copying: bytes.span.bytes)
    #expect(try GitRequest(secret).isUnrepresentable)
  }

  @Test(
    "an expiry that is 0, malformed or beyond all time is never",
    arguments: ["0", "", "x", "-5", "9223372036854775807", "99999999999999999999"])
  func never(_ value: String) throws {
    #expect(try request("password_expiry_utc=\(value)\n").passwordExpiry == nil)
  }

  @Test("an empty line completes the request before the input ends")
  func complete() {
    func isComplete(_ text: String) -> Bool {
      unsafe GitRequest.isComplete(text.utf8.span.bytes)
    }
    #expect(isComplete("a=b\n\n"))
    #expect(isComplete("a=b\r\n\r\n"))
    #expect(isComplete("\n"))
    #expect(!isComplete("a=b\n"))
    #expect(!isComplete("a=b"))
    #expect(!isComplete(""))
  }

  @Test("any bytes give a request or invalidData")
  func anything() throws {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("=\n\r\0[]abhostpasswordwwwauth:".utf8) + [0xFF, 0xC3]
    for _ in 0..<2000 {
      let count = Int.random(in: 0..<60, using: &generator)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      let secret = unsafe Secret(copying: bytes.span.bytes)
      do {
        _ = GitPattern(try GitRequest(secret))
      } catch {
        #expect(error.code == .invalidData)
      }
    }
  }
}
