@testable import Interchange

extension FullFile {
  static let documents: [FullFile] = [
    FullFile(
      format: .bitwardenJSON,
      text: #"""
        {"encrypted": false, "m-top": {"x": "m-top"},
         "folders": [{"id": "f", "name": "m-folder"}],
         "items": [
          {"id": "i1", "organizationId": "o", "object": "item", "folderId": "f",
           "collectionIds": ["m-collection"], "type": 1, "reprompt": 1, "favorite": true,
           "name": "m-title", "notes": "m-note", "m-member": "s-member", "m-count": 71,
           "creationDate": "2017-07-14T02:40:00.000Z", "revisionDate": "2019-02-12T19:33:20.000Z",
           "passwordHistory": [{"password": "s-old", "lastUsedDate": "2018-01-01T00:00:00.000Z",
             "m-why": "s-why"}, {"password": "s-older"}],
           "attachments": [{"id": "a", "fileName": "m-file", "size": "9", "url": "u"}],
           "fields": [{"name": "m-team", "value": "m-red", "type": 0},
            {"name": "m-team", "value": "m-blue", "type": 0},
            {"name": "Answer", "value": "s-hidden", "type": 1},
            {"name": "m-number", "value": 72, "type": 0},
            {"name": "m-flag", "value": "m-true", "type": 2, "m-of field": "s-of field"},
            {"name": "m-link", "value": null, "type": 3, "linkedId": 10073}],
           "login": {"username": "m-account", "password": "s-password", "totp": "s-key",
            "passwordRevisionDate": "2018-02-02T00:00:00.000Z",
            "uris": [{"uri": "https://m-one.example/m-path?m=x", "match": 3, "m-of uri": "s-uri"},
             {"uri": "^https://m-two.*$", "match": 4}, {"uri": "androidapp://m.app", "match": null}],
            "fido2Credentials": [{"credentialId": "s-passkey", "keyValue": "s-passkey key",
             "rpId": "m.example", "counter": "s-0", "discoverable": "true"}]}},
          {"type": 2, "name": "m-memo", "notes": "s-memo", "secureNote": {"type": 0}},
          {"type": 3, "name": "m-visa", "notes": "s-of card", "card": {"cardholderName": "s-holder",
           "brand": "s-brand", "number": "s-4111", "expMonth": "s-12", "expYear": "s-2030",
           "code": "s-123"}},
          {"type": 3, "name": "m-number only", "card": {"number": "s-4112", "code": null}},
          {"type": 4, "name": "m-me", "identity": {"title": "s-Dr", "firstName": "s-Ann",
           "ssn": "s-ssn", "passportNumber": "s-passport"}},
          {"type": 5, "name": "m-ssh", "sshKey": {"privateKey": "s-private", "publicKey": "s-public",
           "keyFingerprint": "s-print"}},
          {"type": 1, "name": "m-odd", "login": {"username": "m-second", "password": 12345,
           "uris": "s-no list", "uri": "https://m-three.example"}}]}
        """#,
      meaningless: [
        "i1", "o", "item", "f", "a", "9", "u", "x", "1", "2", "3", "4", "5", "true",
      ]),
    FullFile(
      format: .enpass,
      text: #"""
        {"folders": [{"uuid": "f", "title": "m-folder", "parent_uuid": "", "icon": "1", "updated_at": 1}],
         "m-top": "m-top",
         "items": [
          {"uuid": "u", "title": "m-title", "category": "login", "template_type": "login.default",
           "note": "m-note", "folders": ["f", "m-unknown"], "favorite": 1, "archived": 0,
           "trashed": 0, "auto_submit": 1, "icon": {"fav": "i"}, "subtitle": "m-account",
           "createdAt": 1500000000, "updated_at": 1550000000, "m-member": "s-member",
           "attachments": [{"name": "m-file", "data": "AAAA", "kind": "image/png"}],
           "fields": [
            {"uid": 1, "order": 1, "type": "username", "label": "m-user", "value": "m-account"},
            {"type": "username", "label": "m-user2", "value": "m-second"},
            {"type": "password", "label": "Password", "value": "s-password", "sensitive": 1,
             "deleted": 0, "value_updated_at": 1540000000,
             "history": [{"value": "s-old", "updated_at": 1510000000}]},
            {"type": "password", "label": "m-bank", "value": "s-bank", "sensitive": 1,
             "history": [{"value": "s-old bank", "updated_at": 1510000001}]},
            {"type": "section", "label": "m-section", "value": ""},
            {"type": "url", "label": "Website", "value": "https://m-one.example/m-path"},
            {"type": "totp", "label": "TOTP", "value": "s-key"},
            {"type": "text", "label": "m-gone", "value": "s-gone", "deleted": 1},
            {"type": "text", "label": "m-team", "value": "m-red", "m-more": "s-more",
             "history": [{"value": "s-blue", "updated_at": 1510000002}]},
            {"type": "numeric", "label": "m-number", "value": 71}]},
          {"title": "m-visa", "category": "creditcard", "template_type": "creditcard.default",
           "fields": [{"type": "ccNumber", "label": "m-cc", "value": "s-4111"},
            {"type": "ccName", "label": "m-name", "value": "m-holder"}]},
          {"title": "m-memo", "category": "note", "note": "s-memo"}]}
        """#,
      meaningless: [
        "f", "1", "u", "login", "login.default", "i", "AAAA", "image/png", "username", "password",
        "Password", "section", "url", "Website", "totp", "TOTP", "text", "numeric", "creditcard",
        "creditcard.default", "ccNumber", "ccName", "note", "1510000001", "1510000002",
        "1540000000", "m-user",
      ]),
    FullFile(
      format: .onePUX,
      text: #"""
        {"m-top": "m-top", "accounts": [{"attrs": {"accountName": "n", "name": "n", "email": "e",
          "uuid": "u", "domain": "d", "avatar": "a"}, "m-of account": ["m-of account"],
         "vaults": [{"attrs": {"uuid": "v", "name": "m-folder", "desc": "m-about", "type": "U",
          "avatar": "a"}, "m-of vault": 71, "items": [
          {"uuid": "i", "favIndex": 72, "createdAt": 1500000000, "updatedAt": 1550000000,
           "state": "active", "trashed": false, "categoryUuid": "001", "m-member": "s-member",
           "overview": {"title": "m-title", "subtitle": "m-account", "url": "https://m-zero.example",
            "urls": [{"label": "website", "mode": "default", "url": "https://m-one.example/m-path"},
             {"label": "m-label", "mode": "m-mode", "url": "https://m-two.example"}],
            "tags": ["m-tag", "m-tag2"], "ps": 99, "pbe": 12, "pgrng": true, "icons": null,
            "watchtowerExclusions": null, "m-of overview": "s-overview"},
           "details": {"notesPlain": "m-note", "documentAttributes": null, "htmlMethod": "post",
            "loginFields": [
             {"value": "m-account", "id": "x", "name": "user", "fieldType": "T", "designation": "username"},
             {"value": "s-password", "id": "x", "name": "pass", "fieldType": "P", "designation": "password"},
             {"value": "s-password2", "id": "x", "name": "pass2", "fieldType": "P", "designation": "password"},
             {"value": "m-account2", "id": "x", "name": "m-user2", "fieldType": "T", "designation": "username"},
             {"value": "m-yes", "id": "x", "name": "m-remember", "fieldType": "C"}],
            "sections": [{"title": "m-section", "name": "s", "hideAddAnotherField": false, "fields": [
              {"title": "m-team", "id": "f1", "value": {"string": "m-red"}, "guarded": false,
               "multiline": false, "dontGenerate": false, "inputTraits": {"keyboard": "default"}},
              {"title": "m-team", "id": "f2", "value": {"string": "m-blue"}},
              {"title": "Answer", "id": "f3", "value": {"concealed": "s-hidden"}},
              {"title": "m-inner", "id": "password", "value": {"concealed": "s-inner"}},
              {"title": "m-smtp", "id": "smtp_password", "value": {"concealed": "s-smtp"}},
              {"title": "m-login", "id": "username", "value": {"string": "m-account3"}},
              {"title": "m-host", "id": "hostname", "value": {"string": "m-three.example"}},
              {"title": "m-url", "id": "url", "value": {"url": "https://m-four.example"}},
              {"title": "Code", "id": "f4", "value": {"totp": "s-key"}},
              {"title": "m-born", "id": "f5", "value": {"date": -86400}},
              {"title": "m-mail", "id": "f6", "value": {"email": {"email_address": "m-mail address", "provider": "s-provider"}}},
              {"title": "m-home", "id": "f7", "value": {"address": {"street": "s-street", "city": "s-city"}}},
              {"title": "m-expires", "id": "f8", "value": {"monthYear": 203001}},
              {"title": "File", "id": "f9", "value": {"file": {"fileName": "m-file", "documentId": "d", "decryptedSize": 4}}},
              {"title": "m-new", "id": "f10", "value": {"string": "m-value"}, "m-extra": "s-extra"}]}],
            "passwordHistory": [{"value": "s-old", "time": 1510000000, "m-by": "s-by"}],
            "m-of details": "s-details"}},
          {"categoryUuid": "002", "state": "active", "overview": {"title": "m-visa"}, "details": {
           "notesPlain": "s-of card", "sections": [{"fields": [
            {"title": "m-number", "id": "ccnum", "value": {"creditCardNumber": "s-4111"}},
            {"title": "m-kind", "id": "type", "value": {"creditCardType": "m-visa card"}}]}]}},
          {"categoryUuid": "005", "overview": {"title": "m-only"}, "details": {"password": "s-only"}},
          {"categoryUuid": "111", "overview": {"title": "m-post"}, "details": {"sections": [{"fields": [
            {"title": "m-pop", "id": "pop_username", "value": {"string": "m-pop user"}},
            {"title": "m-pop password", "id": "pop_password", "value": {"concealed": "s-pop"}}]}]}},
          {"categoryUuid": "006", "overview": {"title": "m-document"}, "details": {
           "documentAttributes": {"fileName": "m-document file", "documentId": "d", "decryptedSize": 4}}},
          {"categoryUuid": "114", "overview": {"title": "m-ssh"}, "details": {"sections": [{"fields": [
            {"title": "m-private", "id": "private_key", "value": {"sshKey": {"privateKey": "s-private",
             "metadata": {"fingerprint": "s-print"}}}}]}]}},
          {"categoryUuid": "003", "overview": {"title": "m-memo"}, "details": {
           "notesPlain": "s-of memo"}},
          {"categoryUuid": "004", "overview": {"title": "m-me"}, "details": {"sections": [{"fields": [
            {"title": "m-first", "id": "firstname", "value": {"string": "m-ann"}},
            {"title": "m-born at", "id": "birthplace", "value": {"string": "m-bonn"}}]}]}},
          {"categoryUuid": "100", "overview": {"title": "m-licence"}, "details": {"sections": [{"fields": [
            {"title": "m-version", "id": "product_version", "value": {"string": "m-nine"}},
            {"title": "m-key", "id": "reg_code", "value": {"concealed": "s-licence"}}]}]}},
          {"categoryUuid": "101", "overview": {"title": "m-bank"}, "details": {"sections": [{"fields": [
            {"title": "m-owner", "id": "owner", "value": {"string": "m-ann b"}},
            {"title": "m-pin", "id": "telephonePin", "value": {"concealed": "s-pin"}}]}]}},
          {"categoryUuid": "102", "overview": {"title": "m-base"}, "details": {"sections": [{"fields": [
            {"title": "m-server", "id": "hostname", "value": {"string": "m-db.example"}},
            {"title": "m-db user", "id": "username", "value": {"string": "m-dba"}},
            {"title": "m-db password", "id": "password", "value": {"concealed": "s-dba"}}]}]}},
          {"categoryUuid": "103", "overview": {"title": "m-driver"}, "details": {"sections": [{"fields": [
            {"title": "m-of driver", "id": "number", "value": {"string": "m-b-72"}}]}]}},
          {"categoryUuid": "104", "overview": {"title": "m-angler"}, "details": {"sections": [{"fields": [
            {"title": "m-valid", "id": "expires", "value": {"string": "m-2030"}}]}]}},
          {"categoryUuid": "105", "overview": {"title": "m-club"}, "details": {"sections": [{"fields": [
            {"title": "m-club pin", "id": "pin", "value": {"concealed": "s-club"}}]}]}},
          {"categoryUuid": "106", "overview": {"title": "m-passport"}, "details": {"sections": [{"fields": [
            {"title": "m-passport number", "id": "number", "value": {"string": "m-c-01"}}]}]}},
          {"categoryUuid": "107", "overview": {"title": "m-miles"}, "details": {"sections": [{"fields": [
            {"title": "m-miles pin", "id": "pin", "value": {"concealed": "s-miles"}}]}]}},
          {"categoryUuid": "108", "overview": {"title": "m-social"}, "details": {"sections": [{"fields": [
            {"title": "m-social number", "id": "number", "value": {"concealed": "s-social"}}]}]}},
          {"categoryUuid": "109", "overview": {"title": "m-router"}, "details": {"sections": [{"fields": [
            {"title": "m-base password", "id": "password", "value": {"concealed": "s-router"}},
            {"title": "m-wireless", "id": "wireless_password", "value": {"concealed": "s-wireless"}}]}]}},
          {"categoryUuid": "110", "overview": {"title": "m-machine"}, "details": {"sections": [{"fields": [
            {"title": "m-machine address", "id": "url", "value": {"string": "https://m-machine.example"}},
            {"title": "m-machine user", "id": "username", "value": {"string": "m-root"}},
            {"title": "m-machine password", "id": "password", "value": {"concealed": "s-root"}},
            {"title": "m-console", "id": "admin_console_password", "value": {"concealed": "s-console"}}]}]}},
          {"categoryUuid": "112", "overview": {"title": "m-api"}, "details": {"sections": [{"fields": [
            {"title": "m-api user", "id": "username", "value": {"string": "m-app"}},
            {"title": "m-api key", "id": "credential", "value": {"concealed": "s-api"}}]}]}}]}]}]}
        """#,
      meaningless: [
        "n", "e", "u", "d", "a", "v", "U", "i", "active", "001", "002", "005", "006", "111", "114",
        "website", "default", "99", "12", "post", "x", "user", "pass", "T", "P", "C", "username",
        "password", "s", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "ccnum",
        "type", "4", "smtp_password", "hostname", "url", "Code", "File", "-86400", "71",
        "pop_username", "pop_password", "private_key", "m-pop password",
        "003", "004", "100", "101", "102", "103", "104", "105", "106", "107", "108",
        "109", "110", "112", "admin_console_password", "birthplace", "credential",
        "expires", "firstname", "number", "owner", "pin", "product_version", "reg_code",
        "telephonePin", "wireless_password", "m-db user", "m-db password", "m-server",
        "m-machine address", "m-machine user", "m-machine password", "m-base password",
        "m-api user", "m-api key",
      ]),
    FullFile(
      format: .docker,
      text: #"""
        {"HttpHeaders": {"m-h": "x"}, "auths": {
          "https://m-hub.example/v1/": {"auth": "bS11c2VyOnMtcHc=", "email": "m-mail",
           "username": "m-other user", "password": "s-other", "identitytoken": "s-token",
           "registrytoken": "s-registry", "m-member": "s-member"},
          "m-plain.example:5000": {"username": "m-account", "password": "s-password"},
          "https://ann:s-inside@m-reg.example": {"username": "m-second", "password": "s-second"},
          "m-kept.example": {}},
         "credHelpers": {"m-helped.example": "gcloud"}, "proxies": {"default": {"httpProxy": "x"}}}
        """#,
      meaningless: ["bS11c2VyOnMtcHc=", "x", "gcloud", "m-h"]),
    FullFile(
      format: .json,
      text: #"""
        {"format": "vaultctl-export", "version": 1, "exported": "2026-01-01T00:00:00Z", "items": [
         {"class": "internet", "server": "m-one.example", "protocol": "https", "port": 8443,
          "realm": "m-realm", "path": "m-path", "account": "m-account", "label": "m-label",
          "comment": "m-note", "kind": "m-kind", "origin": "m-origin", "account_domain": "m-domain",
          "custom": {"m-team": "m-red"}, "secret": "s-password", "totp_key": "s-key",
          "refresh_token": "s-refresh", "created": "2017-07-14T02:40:00Z",
          "modified": "2019-02-12T19:33:20Z", "secret_changed": "2018-02-12T19:33:20Z",
          "previous": [{"secret": "s-old", "set": "2017-07-14T02:40:00Z",
           "replaced": "2018-02-12T19:33:20Z"}]},
         {"class": "generic", "service": "m-service", "account": "m-second", "secret": "s-second",
          "removed": "2020-01-01T00:00:00Z"}]}
        """#,
      meaningless: ["vaultctl-export", "1", "2026-01-01T00:00:00Z", "internet", "generic"]),
    FullFile(
      format: .keepassXML,
      text: """
        <?xml version="1.0" encoding="utf-8"?>
        <KeePassFile><Meta><Generator>G</Generator><DatabaseName>D</DatabaseName>
        <DatabaseDescription>DatabaseDescription</DatabaseDescription>
        <CustomData><Item><Key>K</Key><Value>V</Value></Item></CustomData></Meta>
        <Root><Group><UUID>AQ==</UUID><Name>D</Name><Notes>notes of the group</Notes>
        <Group><UUID>Ag==</UUID><Name>m-folder</Name><Entry><UUID>x</UUID><IconID>0</IconID>
        <ForegroundColor>m-color</ForegroundColor><Tags>m-tags</Tags>
        <OverrideURL>m-override</OverrideURL><NewThing>s-new thing</NewThing>
        <NewGroup><Inner>s-inner</Inner></NewGroup>
        <Times><CreationTime>2017-07-14T02:40:00Z</CreationTime>
        <LastModificationTime>2019-02-12T19:33:20Z</LastModificationTime>
        <LastAccessTime>2019-02-12T19:33:21Z</LastAccessTime><UsageCount>7</UsageCount>
        <ExpiryTime>2018-01-01T00:00:00Z</ExpiryTime><Expires>True</Expires></Times>
        <String><Key>Title</Key><Value>m-title</Value></String>
        <String><Key>UserName</Key><Value>m-account</Value></String>
        <String><Key>Password</Key><Value ProtectInMemory="True">s-password</Value></String>
        <String><Key>URL</Key><Value>https://m-one.example/m-path</Value></String>
        <String><Key>KP2A_URL_1</Key><Value>https://m-two.example</Value></String>
        <String><Key>Notes</Key><Value ProtectInMemory="True">s-notes</Value></String>
        <String><Key>m-team</Key><Value>m-red</Value></String>
        <String><Key>Card Number</Key><Value>s-4111</Value></String>
        <String><Key>Answer</Key><Value ProtectInMemory="True">s-answer</Value></String>
        <String><Key>otp</Key><Value>otpauth://totp/x?secret=s-key</Value></String>
        <Binary><Key>m-file</Key><Value Ref="0"/></Binary>
        <AutoType><Enabled>True</Enabled><DataTransferObfuscation>0</DataTransferObfuscation>
        <DefaultSequence>m-sequence</DefaultSequence>
        <Association><Window>m-window</Window><KeystrokeSequence>m-keys</KeystrokeSequence></Association>
        </AutoType>
        <CustomData><Item><Key>m-plugin</Key><Value>m-data</Value></Item></CustomData>
        <History><Entry><UUID>x</UUID><Tags>s-old tags</Tags>
        <Times><LastModificationTime>2017-08-01T00:00:00Z</LastModificationTime></Times>
        <String><Key>Title</Key><Value>s-old title</Value></String>
        <String><Key>Password</Key><Value>s-old</Value></String>
        <String><Key>UserName</Key><Value>s-old user</Value></String>
        <String><Key>m-pin</Key><Value>s-old pin</Value></String>
        <Binary><Key>m-old file</Key><Value Ref="0"/></Binary></Entry></History>
        </Entry><Entry><Times><CreationTime>m-no time</CreationTime></Times>
        <String><Key>Title</Key><Value>m-second</Value></String>
        <String><Key>Password</Key><Value>s-second</Value></String></Entry></Group></Group></Root>
        </KeePassFile>
        """,
      meaningless: [
        "G", "D", "K", "V", "AQ==", "Ag==", "x", "0", "2019-02-12T19:33:21Z", "7", "True", "Title",
        "UserName", "Password", "URL", "KP2A_URL_1", "Notes", "otp", "2017-08-01T00:00:00Z",
      ]),
    FullFile(
      format: .keepassXML,
      text: """
        <!DOCTYPE KEEPASSX_DATABASE>
        <database><group><title>m-folder</title><entry><title>m-title</title><username>m-account</username>
        <password>s-password</password><url>https://m-one.example/m-path</url><comment>m-note</comment>
        <icon>1</icon><creation>2017-07-14T02:40:00</creation><lastaccess>2017-07-14T02:40:00</lastaccess>
        <lastmod>2019-02-12T19:33:20</lastmod><expire>Never</expire><bindesc>m-file</bindesc>
        <bin>AAAA</bin><more>s-more</more></entry></group></database>
        """,
      meaningless: ["1", "Never", "AAAA"], name: "of KeePassX"),
  ]

  static let lineFiles: [FullFile] = [
    FullFile(
      format: .netrc,
      text: """
        # comment
        machine m-one.example login m-account password s-password account s-ftp port 8443
          protocol https path m-path password s-again login m-second unknown
        macdef init
        cd /x

        default login anonymous password x

        """),
    FullFile(
      format: .gitCredentials,
      text:
        "https://m-account:s-password@m-one.example/m-path?m-q\nhttps://m-b:s-b@m-two.example%3a3000\n"
        + "smtp://m-c:s-c@m-three.example\nssh://m-d:s-d@m-four.example\nhttp://m-e:s-e@m-five.example\n"
    ),
    FullFile(
      format: .pass,
      text: """
        s-password
        login: m-account
        username: m-second
        url: https://m-one.example/m-path
        m-team: m-red
        PIN: s-pin
        otpauth://totp/x?secret=s-key
        m-remark
        """),
    FullFile(
      format: .keychainDump,
      text: """
        keychain: "k"
        version: 512
        class: "inet"
        attributes:
            0x00000007 <blob>="m-title"
            "acct"<blob>="m-account"
            "cdat"<timedate>="m-no-time"
            "desc"<blob>="m-kind"
            "icmt"<blob>="m-note"
            "path"<blob>="m-path"
            "port"<uint32>=0x000020FB
            "prot"<blob>="m-prot"
            "ptcl"<uint32>="htps"
            "sdmn"<blob>="m-realm"
            "srvr"<blob>="m-one.example/m-tail"
        data:
        "s-password"
        keychain: "k"
        class: "genp"
        attributes:
            0x00000007 <blob>="m-label"
            "acct"<blob>="m-second"
            "alis"<blob>="m-alias"
            "gena"<blob>="m-generic"
            "svce"<blob>="m-service"
        data:
        "s-second"

        """),
    FullFile(
      format: .secretTool,
      text: """
        [/org/freedesktop/secrets/collection/login/1]
        label = m-label
        secret = s-password
        created = 2017-07-14 02:40:00
        modified = m-no-time
        schema = org.gnome.keyring.NetworkPassword
        attribute.protocol = https
        attribute.server = m-one.example
        attribute.port = 8443
        attribute.user = m-account
        attribute.username = m-second
        attribute.account = m-third
        attribute.service = m-service
        attribute.domain = m-realm
        attribute.object = m-path
        attribute.authtype = basic
        attribute.m-own = m-value
        attribute.gkr:compat = m-compat
        m-other = m-more
        [/org/freedesktop/secrets/collection/login/2]
        label = m-label2
        secret = s-second
        created = 2017-07-14 02:40:00
        schema = m-schema
        attribute.service = m-service2
        attribute.domain = m-domain2
        attribute.port = 99

        """),
  ]
}
