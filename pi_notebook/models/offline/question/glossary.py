"""Names of things in data: months, units, nouns for rows, synonyms, and a glossary from Chinese."""

from __future__ import annotations

_ENTITY_WORDS = (
    "animal bird book car city company country customer employee event flight game home house "
    "hurricane movie passenger patient penguin people person planet player product respondent "
    "store storm strike student team transaction trip user vehicle 乘客 产品 人 企鹅 动物 员工 "
    "国家 城市 学生 客户 患者 房屋 汽车 用户 航班 行星 顾客"
)

ENTITIES = frozenset(_ENTITY_WORDS.split())
"""Nouns that may stand for the rows of a frame when no column or value is named alike."""

MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ],
        start=1,
    )
    for name in names.split()
}

_UNIT_WORDS = {
    "g": "g gram 克",
    "kg": "kg kilogram 千克 公斤",
    "mm": "mm millimetre millimeter 毫米",
    "cm": "cm centimetre centimeter 厘米",
    "m": "m metre meter 米",
    "km": "km kilometre kilometer 公里",
    "mi": "mi mile",
    "usd": "usd dollar",
    "eur": "eur euro",
    "%": "pct percent",
    "s": "s sec second",
    "min": "min minute",
    "h": "h hour",
}

UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
"""Stems of units, and the unit they mean."""

SYNONYMS = {
    "temperature": ("temp",),
    "average": ("avg",),
    "quantity": ("qty",),
    "department": ("dept",),
    "population": ("pop",),
    "latitude": ("lat",),
    "longitude": ("lon", "lng"),
    "revenue": ("rev",),
    "weight": ("mass", "wt"),
    "amount": ("amt",),
    "gender": ("sex",),
    "sex": ("gender",),
    "height": ("ht",),
    "sale": ("revenue",),
    "salary": ("pay",),
    "woman": ("female", "f"),
    "man": ("male", "m"),
    "female": ("woman", "f"),
    "male": ("man", "m"),
    "女性": ("female", "woman"),
    "雌性": ("female",),
    "女": ("female", "woman"),
    "雌": ("female",),
    "男性": ("male", "man"),
    "雄性": ("male",),
    "男": ("male", "man"),
    "雄": ("male",),
}
"""Words that name the same thing in a column's name or among its values."""

GLOSSARY = {
    "体重": "body mass|weight",
    "质量": "mass",
    "物种": "species",
    "种类": "species|kind|type",
    "品种": "species|breed|variety",
    "岛屿": "island",
    "岛": "island",
    "性别": "sex|gender",
    "年龄": "age",
    "价格": "price",
    "票价": "fare",
    "销售额": "sales|revenue",
    "销量": "sales|quantity",
    "收入": "income|revenue",
    "利润": "profit",
    "成本": "cost",
    "数量": "quantity",
    "日期": "date",
    "时间": "time|date",
    "年份": "year",
    "月份": "month",
    "城市": "city",
    "国家": "country",
    "地区": "region",
    "区域": "region",
    "州": "state",
    "省份": "province",
    "省": "province",
    "类别": "category",
    "类型": "type|kind",
    "产品": "product",
    "商品": "product",
    "客户": "customer",
    "名称": "name",
    "姓名": "name",
    "工资": "salary|wage",
    "薪水": "salary",
    "部门": "department|dept",
    "温度": "temperature|temp",
    "气温": "temperature|temp",
    "湿度": "humidity",
    "降水量": "precipitation",
    "降水": "precipitation",
    "风速": "wind|wind speed",
    "气压": "pressure",
    "天气": "weather",
    "人口": "population",
    "面积": "area",
    "密度": "density",
    "高度": "height",
    "身高": "height",
    "长度": "length",
    "宽度": "width",
    "深度": "depth",
    "喙长": "bill length|beak length|culmen length",
    "嘴峰长度": "bill length|culmen length",
    "喙深": "bill depth|culmen depth",
    "鳍长": "flipper length",
    "鳍状肢长度": "flipper length",
    "翅长": "flipper length|wing length",
    "距离": "distance",
    "速度": "speed",
    "分数": "score",
    "成绩": "score|grade",
    "评分": "rating|score",
    "等级": "class|grade|level",
    "死亡人数": "deaths",
    "病例": "cases",
    "方法": "method",
    "发现方法": "method",
    "舱位": "class|pclass",
}
"""What a Chinese word may be called in an English column name; a bar parts the choices."""
