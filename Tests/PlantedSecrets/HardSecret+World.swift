internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let form = "application/x-www-form-urlencoded"

  /// Names of secrets in languages of the whole world.
  static let worldwide: [HardSecret] = world

  private static let world: [HardSecret] = [
    told(
      60340,
      "Arabic member",
      "/users/ar/5",
      json,
      #"{"اسم_المستخدم":"salma","كلمة_المرور":"§","اللغة":"ar"}"#
    ),
    told(
      60350,
      "Persian member",
      "/users/fa/5",
      json,
      #"{"نام_کاربری":"dara","رمز_عبور":"§","زبان":"fa"}"#
    ),
    told(
      60360,
      "Hebrew member",
      "/users/he/5",
      json,
      #"{"שם_משתמש":"noa","סיסמה":"§","שפה":"he"}"#
    ),
    told(
      60370,
      "Korean CSV",
      "/export/kr/users.csv",
      "text/csv; charset=utf-8",
      "아이디,이메일,비밀번호,가입일\nminji,minji@example.test,§,2023-02-03\n",
      "Hangang-dari-27"
    ),
    told(
      60380,
      "Korean key",
      "/settings/kr",
      json,
      #"{"서비스":"결제","비밀키":"§","모드":"테스트"}"#,
      "{m32}"
    ),
    told(
      60390,
      "Thai member",
      "/users/th/5",
      json,
      #"{"ชื่อผู้ใช้":"somchai","รหัสผ่าน":"§"}"#
    ),
    sent(
      60400,
      "Vietnamese form",
      "/dang-nhap",
      form,
      "ten_dang_nhap=linh&mat_khau=§&ghi_nho=1",
      "HoGuom-mua-thu9"
    ),
    sent(
      60410,
      "Indonesian login",
      "/masuk",
      json,
      #"{"nama_pengguna":"budi","kata_sandi":"§","ingat_saya":false}"#,
      "Borobudur.pagi7"
    ),
    sent(
      60420,
      "Malay login",
      "/log-masuk",
      json,
      #"{"namaPengguna":"aisyah","kataLaluan":"§"}"#,
      "Langkawi_senja_3"
    ),
    told(
      60430,
      "Hindi member",
      "/users/hi/5",
      json,
      #"{"उपयोगकर्ता":"asha","पासवर्ड":"§","भाषा":"hi"}"#
    ),
    told(
      60440,
      "Tamil member",
      "/users/ta/5",
      json,
      #"{"பயனர்":"kavi","கடவுச்சொல்":"§"}"#
    ),
    told(
      60450,
      "Georgian member",
      "/users/ka/5",
      json,
      #"{"მომხმარებელი":"nino","პაროლი":"§"}"#
    ),
    told(
      60460,
      "Armenian member",
      "/users/hy/5",
      json,
      #"{"օգտանուն":"ani","գաղտնաբառ":"§"}"#
    ),
    told(
      60470,
      "Japanese token",
      "/settings/ja",
      json,
      #"{"利用者":"haruka","アクセストークン":"§","有効期限":"2031-03-31"}"#,
      "{m40}"
    ),
    told(
      60480,
      "Japanese private key in TSV",
      "/export/keys.tsv",
      "text/tab-separated-values",
      "番号\t名称\t秘密鍵\t登録日\n1\t決済\t§\t2023-05-01\n",
      "{m43}"
    ),
    told(
      60490,
      "Chinese key of access",
      "/settings/zh",
      json,
      #"{"应用":"支付","访问密钥":"§","环境":"测试"}"#,
      "{m32}"
    ),
    told(
      60500,
      "Traditional Chinese member",
      "/users/tw/5",
      json,
      #"{"使用者":"meiling","密碼":"§","語言":"zh-TW"}"#,
      "Alishan-richu-06"
    ),
    told(
      60510,
      "Chinese word for a password",
      "/shebei/17.ini",
      "text/plain; charset=utf-8",
      "[设备]\n地址=192.168.3.17\n用户=admin\n登录口令=§\n"
    ),
    sent(
      60520,
      "Swahili form",
      "/ingia",
      form,
      "jina=amani&nenosiri=§&lugha=sw",
      "Kilimanjaro.juu4"
    ),
    told(
      60530,
      "Afrikaans member",
      "/gebruikers/2",
      json,
      #"{"gebruiker":"pieter","wagwoord":"§"}"#,
      "Tafelberg_wolk_2"
    ),
    sent(
      60910,
      "Basque member",
      "/liburutegia",
      json,
      #"{"pasahitz_berria":"§"}"#,
      "Itsaso-89-bide"
    ),
    told(
      60920,
      "Ukrainian key",
      "/kabinet",
      json,
      #"{"компанія":"Книгарня","ключ_доступу":"§","дійсний_до":"2027-06-30"}"#,
      "{a40}"
    ),
  ]
}
