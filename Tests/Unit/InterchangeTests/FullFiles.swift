@testable import Interchange

/// Files with every field filled: what is secret there begins with `s-`, and no other value has it.
extension FullFile {
  static let all: [FullFile] = tables + managerTables + documents + lineFiles

  private static let tables: [FullFile] = [
    FullFile(
      format: .firefox,
      text: """
        "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged","m-new column"
        "https://m-one.example:8443","m-account","s-password","m-realm","","{1}","1500000000000","1600000000000","1550000000000","m-new value"
        "https://m-two.example","m-second","s-second","","https://m-form.example","{2}","0","0","1550000000001","0"
        "moz-proxy://m-proxy.example:3128","m-third","s-third","Proxy",,,,,

        """,
      meaningless: ["{1}", "{2}", "1600000000000", "0", "moz-proxy://m-proxy.example:3128"]
        + (header(
          "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,timePasswordChanged"
        ))
    ),
    FullFile(
      format: .chrome,
      text: """
        name,url,username,password,note,m-color
        m-title,https://m-one.example/m-login?tenant=m-acme#m-part,m-account,s-password,m-note,m-red
        m-mail,https://m-other@m-two.example/,m-second,s-second,"m-two
        m-lines",0
        m-link,https://m-three.example/m-path?token=s-token,m-third,s-third,,
        m-app,android://m-hash==@com.m-app.example/,m-fourth,s-fourth,,
        m-bad,https://m-bad.example:99999/m-x,m-fifth,s-fifth,,
        m-inside,https://m-user:s-inside@m-four.example/m-deep,m-sixth,s-sixth,,
        m-nothing,https://m-five.example,m-seventh,,,

        """,
      meaningless: header("name,url,username,password,note")
        + ([
          "https://m-other@m-two.example/", "https://m-three.example/m-path?token=s-token",
          "https://m-user:s-inside@m-four.example/m-deep", "https://m-five.example", "m-seventh",
        ])),
    FullFile(
      format: .chrome,
      text: """
        origin_url,username_value,password_value,signon_realm
        https://m-one.example/m-path,m-account,s-password,https://m-one.example/m-realm

        """, meaningless: header("origin_url,username_value,password_value,signon_realm"),
      name: "old"),
    FullFile(
      format: .apple,
      text: """
        Title,URL,Username,Password,Notes,OTPAuth
        m-title,https://m-one.example/,m-account,s-password,m-note,otpauth://totp/x?secret=s-key

        """, meaningless: header("Title,URL,Username,Password,Notes,OTPAuth")),
    FullFile(
      format: .bitwarden,
      text: """
        folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
        m-folder,1,login,m-title,m-note,"m-team: m-red
        PIN: s-pin
        m-long: m-first
        m-second line",1,"https://m-one.example,https://m-two.example/m-x",m-account,s-password,s-key
        ,,note,m-memo,s-text,,0,,,,

        """,
      meaningless: header(
        "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp,login,note,0,1"
      )),
    FullFile(
      format: .onePassword,
      text: """
        Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
        m-title,https://m-one.example/m-x,m-account,s-password,otpauth://totp/x?secret=s-key,true,false,m-a;m-b,m-note

        """,
      meaningless: header(
        "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes,true,false")),
    FullFile(
      format: .keepassXC,
      text: """
        "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
        "Root/m-folder/m-sub","m-title","m-account","s-password","https://m-one.example/m-x","m-note","s-key","17","2019-02-12T19:33:20Z","2017-07-14T02:40:00Z"
        "Root","m-odd","m-second","s-second","m-not an address","","","0","12.02.2019 19:33","m-no time"
        "Root","m-linked","{REF:U@I:00}","s-third","","{REF:N@I:00} m-x","","0","",""

        """,
      meaningless: header(
        "Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created,Root,0")
        + ([
          "Root/m-folder/m-sub", "{REF:U@I:00}", "{REF:N@I:00} m-x",
        ])),
    FullFile(
      format: .keepassXC,
      text: #"""
        "Account","Login Name","Password","Web Site","Comments"
        "m-title","m-account","s-p\\w\"x","https://m-one.example","m-note"

        """#,
      meaningless: header("Account,Login Name,Password,Web Site,Comments"),
      name: "of KeePass 1"),
    FullFile(
      format: .lastPass,
      text: """
        url,username,password,totp,extra,name,grouping,fav
        https://m-one.example/m-x,m-account,s-password,s-key,m-note,m-title,m-folder,1
        http://sn,,,,"NoteType:Credit Card
        Number:s-4111",m-card,m-folder,0
        http://group,,,,,,m-empty,0

        """,
      meaningless: header(
        "url,username,password,totp,extra,name,grouping,fav,0,1,http://sn,http://group,m-empty")),
    FullFile(
      format: .table,
      text: """
        title,url,account,password,realm,comment,folder,tags,created,modified,expires,otp,custom,m-more
        m-title,https://m-one.example,m-account,s-password,m-realm,m-note,m-folder,m-tag,1500000000,1550000000,4000000000,s-key,m-custom,m-value
        m-old,https://m-two.example,m-second,s-second,,,,,m-when,31.12.2017,31.12.2027,,,

        """,
      meaningless: header(
        "title,url,account,password,realm,comment,folder,tags,created,modified,expires,otp,custom")
    ),
  ]

  private static func header(_ names: String) -> [String] {
    names.split(separator: ",").map(String.init)
  }

  private static let managerTables: [FullFile] = [
    FullFile(
      format: .dashlane,
      text: """
        username,username2,username3,title,password,note,url,category,otpSecret
        m-account,m-name2,m-name3,m-title,s-password,m-note,https://m-one.example/m-x,m-folder,s-key

        """,
      meaningless: header(
        "username,username2,username3,title,password,note,url,category,otpSecret")),
    FullFile(
      format: .dashlane,
      text: """
        type,account_name,account_holder,cc_number,code,expiration_month,expiration_year,routing_number,account_number,country,issuing_bank,note
        credit_card,m-visa,m-holder,s-4111,s-123,m-12,m-2030,,,m-DE,m-Bank,s-note
        bank,m-giro,m-holder2,,,,,m-routing,s-account,m-FR,m-Bank2,

        """,
      meaningless: header(
        "type,account_name,account_holder,cc_number,code,expiration_month,expiration_year,routing_number,account_number,country,issuing_bank,note,credit_card"
      ), name: "payments"),
    FullFile(
      format: .nordPass,
      text: """
        name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,pin,expirydate,zipcode,folder,full_name,phone_number,email,address1,address2,city,country,state,type,custom_fields
        m-title,https://m-one.example/m-x,"[""https://m-two.example/m-y""]",m-account,s-password,m-note,,,,,,,m-folder,,,,,,,,,password,"[{""label"":""m-team"",""type"":""text"",""value"":""m-red""},{""label"":""Answer"",""type"":""hidden"",""value"":""s-answer""}]"
        m-odd,https://m-three.example,m-not a list,m-second,s-second,,,,,,,,,,,,,,,,,password,"[{""label"":""m-count"",""type"":""text"",""value"":71}]"
        m-visa,,,,,,m-holder,s-4111,s-123,s-9,m-12,m-zip,,,,,,,,,,credit_card,
        m-me,,,,,,,,,,,,,m-name,m-phone,m-mail,m-street,m-house,m-city,m-land,m-state,identity,
        m-memo,,,,,s-text,,,,,,,,,,,,,,,,note,

        """,
      meaningless: header(
        "name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,pin,expirydate,zipcode,folder,full_name,phone_number,email,address1,address2,city,country,state,type,custom_fields,credit_card,text,hidden"
      )),
    FullFile(
      format: .protonPass,
      text: """
        type,name,url,email,username,password,note,totp,createTime,modifyTime,vault
        login,m-title,"https://m-one.example/m-x,https://m-two.example",m-mail,m-account,s-password,m-note,s-key,1500000000,1550000000,m-vault
        creditCard,m-visa,,,,,"{""cardholderName"":""m-holder"",""number"":""s-4111""}",,1500000000,1550000000,m-vault

        """,
      meaningless: header(
        "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault,login,creditCard"
      )),
    FullFile(
      format: .roboForm,
      text: """
        Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2
        m-title,https://m-one.example/m-x,https://m-match.example,m-account,s-password,m-note,/m-folder,"User ID$,,,txt,m-account","Password$,,,pwd,s-password","PIN,,,pwd,s-9","TOTP KEY$,,,txt,s-key","m-team,,,txt,m-red",m-odd
        m-me,,,,,,,"Card Number,,,txt,s-4111","m-first,,,txt,m-Ann"

        """,
      meaningless: header(
        "Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2,User ID,Password,TOTP KEY,txt,pwd")),
    FullFile(
      format: .buttercup,
      text: """
        !type,!group_id,!group_name,!group_parent,title,username,password,URL,id,Notes,pin,m-team
        group,1,m-folder,0,,,,,,,,
        entry,1,,,m-title,m-account,s-password,https://m-one.example/m-x,5,m-note,s-9,m-red
        entry,m-nowhere,,,m-alone,m-second,s-second,,6,,,

        """,
      meaningless: header(
        "!type,!group_id,!group_name,!group_parent,title,username,password,URL,id,Notes,group,entry,0,1,5,6"
      )),
    FullFile(
      format: .keeper,
      text: """
        m-folder,m-title,m-account,s-password,https://m-one.example/m-x,m-note,m-shared,m-team,m-red,PIN,s-9,TFC:Keeper,otpauth://totp/x?secret=s-key,$securityQuestion::1,s-answer,m-odd
        m-folder,m-visa,,,,,,$paymentCard::1,"{""cardNumber"":""s-4111"",""cardSecurityCode"":""s-123""}"

        """, meaningless: ["TFC:Keeper"]),
  ]
}
