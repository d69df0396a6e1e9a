"""The words that rules understand, in English and Chinese.

One entry is one meaning: its kind, its value, and the phrases that say it. Phrases are matched longest
first, on stems. A word that stands in no entry and names no column or value is an unknown word, and a
question with an unknown word is declined rather than guessed.
"""

from __future__ import annotations

from pi_notebook.models.offline.question.words import stem

_TABLE: tuple[tuple[str, str, str, str], ...] = (
    (
        "measure",
        "mean",
        "mean|average|avg|averages|mean value|average value|on average",
        "平均值|平均数|平均|均值",
    ),
    ("measure", "median", "median|median value", "中位数|中位值|中位"),
    (
        "measure",
        "sum",
        "sum|total|totals|sum total|altogether|total sum",
        "总和|总计|合计|总额|总共|求和|总量|之和|总",
    ),
    ("measure", "max", "maximum|max|maximal|maximum value", "最大值"),
    ("measure", "min", "minimum|min|minimal|minimum value", "最小值"),
    ("measure", "std", "standard deviation|std|stdev|std dev", "标准差"),
    (
        "measure",
        "count",
        "how many|number of|count of|count|counts|the count",
        "有多少|多少|数量|个数|几个|计数|有几",
    ),
    (
        "measure",
        "distinct",
        "distinct|unique|different values|distinct values|unique values",
        "不同的值|不重复|唯一值|去重",
    ),
    (
        "share",
        "",
        "percentage|what percentage|percentage of|proportion|share|fraction|what percent|"
        "what fraction|percent",
        "百分比|比例|占比|百分之几|占多少",
    ),
    (
        "end",
        "highest",
        "highest|largest|greatest|biggest|most|longest|tallest|top|peak",
        "最高|最大|最多|最长|最重|前",
    ),
    ("end", "lowest", "lowest|smallest|least|fewest|shortest|bottom", "最低|最小|最少|最短|最轻"),
    (
        "by",
        "",
        "by|per|for each|for every|in each|each|grouped by|group by|broken down by|split by|every|on each",
        "按照|按|每个|每一个|每种|各个|各|不同|分组|每",
    ),
    (
        "op",
        ">=",
        ">=|≥|at least|no less than|greater than or equal to",
        "至少|不低于|不少于|大于等于|大于或等于|不小于",
    ),
    (
        "op",
        "<=",
        "<=|≤|at most|no more than|up to|less than or equal to",
        "最多不超过|至多|不超过|不高于|小于等于|小于或等于|不大于",
    ),
    (
        "op",
        ">",
        ">|more than|greater than|over|above|larger than|higher than|exceeding|bigger than|"
        "longer than|heavier than",
        "大于|高于|超过|多于",
    ),
    (
        "op",
        "<",
        "<|less than|fewer than|under|below|smaller than|lower than|shorter than|lighter than",
        "小于|低于|少于|不足|不到",
    ),
    ("op", "==", "=|==|equals|equal to|is equal to|is exactly", "等于|是|为"),
    ("op", "!=", "!=|≠|is not|not equal to|other than", "不等于|不是"),
    (
        "after_op",
        ">=",
        "or more|or higher|or above|or greater|or over|and above|and up|or larger",
        "及以上|以上|或以上|或更多",
    ),
    (
        "after_op",
        "<=",
        "or less|or lower|or below|or fewer|or under|and below|or smaller",
        "及以下|以下|或以下|或更少",
    ),
    ("when", ">=", "since|starting in|starting from", "自从|自"),
    ("when", ">", "after|later than", ""),
    ("when", "<", "before|earlier than", ""),
    ("when", "<=", "until|up until", ""),
    ("after_when", ">=", "or later|or after|and later|onward|onwards", "及以后|以后|之后"),
    ("after_when", "<=", "or earlier|or before|and earlier", "及以前|以前|之前"),
    ("between", "", "between", "介于"),
    (
        "intent",
        "missing",
        "missing|missing values|missing value|null|nulls|nan|nans|null values|na values|"
        "empty cells|blank|incomplete|missing data",
        "缺失值|缺失|空值|缺少",
    ),
    (
        "intent",
        "duplicates",
        "duplicate|duplicates|duplicated|duplicate rows|repeated rows|duplicated rows|dupes",
        "重复行|重复值|重复",
    ),
    (
        "intent",
        "outliers",
        "outlier|outliers|anomalies|anomaly|extreme values|unusual values",
        "异常值|离群值|离群点|异常点|异常",
    ),
    (
        "intent",
        "trend",
        "trend|trends|trending|over time|change over time|changed over time|changes over time|"
        "evolve|evolution|develop over time|time series",
        "趋势|随时间|走势|时间变化",
    ),
    (
        "intent",
        "compare",
        "compare|comparison|comparing|versus|vs|vs.|difference|differences|differ|"
        "difference between|compared|compared to|compared with",
        "比较|对比|差异|差别|区别|相比",
    ),
    (
        "intent",
        "correlation",
        "correlation|correlations|correlate|correlated|correlates|relationship|related|relation|"
        "pearson|association|strongest correlation|strongest correlations",
        "相关性|相关系数|相关|关系|关联",
    ),
    (
        "intent",
        "counts",
        "value counts|frequency|frequencies|distribution|distributed|breakdown|most common|"
        "how often|category counts|categories",
        "分布|频数|频率|最常见|类别数量",
    ),
    (
        "intent",
        "shape",
        "shape|size|how many rows|number of rows|how many columns|number of columns|columns|"
        "dimensions|how big|how large|row count|column names|variables|dtypes|types|data types|"
        "how many rows and columns",
        "多少行|多少列|行数|列数|形状|有哪些列|哪些列|列名|维度|几行|几列|数据类型",
    ),
    (
        "intent",
        "overview",
        "explore|overview|describe|summarise|summarize|summary|look at|have a look at|"
        "take a look at|analyse|analyze|analysis|eda|profile|inspect|what is in|what's in|"
        "tell me about|what stands out|investigate|study|examine|introduce|exploratory",
        "探索|概览|概述|描述|总结|看看|看一下|分析|概况|了解|介绍|浏览|摘要",
    ),
    (
        "plot",
        "auto",
        "plot|graph|chart|draw|visualise|visualize|visualization|figure|plotted",
        "画图|绘图|作图|图表|画出|画|绘制|可视化|图",
    ),
    ("plot", "scatter", "scatter|scatterplot|scatter plot|scatter chart|scatter graph", "散点图|散点"),
    ("plot", "histogram", "histogram|hist|histograms|distribution plot", "直方图"),
    ("plot", "bar", "bar|bar chart|bar plot|barplot|bar graph|bars|column chart", "柱状图|条形图|柱形图"),
    ("plot", "line", "line chart|line plot|line graph|time series plot|line", "折线图|线图"),
    ("plot", "box", "boxplot|box plot|box|box plots|boxplots|box chart", "箱线图|箱形图|箱图"),
    ("against", "", "against", "对"),
    ("method", "spearman", "spearman|rank correlation|spearman rank", "斯皮尔曼|秩相关"),
    ("method", "pearson", "pearson|pearson's", "皮尔逊"),
    ("part", "year", "year|yearly|annual|annually|years", "年度|每年|年"),
    ("part", "quarter", "quarter|quarterly", "季度"),
    ("part", "month", "month|monthly|calendar month|months", "月份|每月|月"),
    (
        "part",
        "month number",
        "month number|month of the year|month of year|calendar month of the year|month over all years",
        "",
    ),
    ("part", "week", "week|weekly", "每周|周"),
    (
        "part",
        "day",
        "day|daily|date|when|what date|on what date|what day|on which date|which date",
        "每天|哪天|日期|什么时候|天",
    ),
    (
        "rows",
        "",
        "row|rows|record|records|entry|entries|observation|observations|sample|samples|case|cases|"
        "line|lines|item|items|instances|individuals",
        "行|条记录|记录|样本|条|数据行",
    ),
    ("ask", "", "which|what|who|whose", "哪个|哪一个|哪种|哪些|哪|什么"),
    (
        "where",
        "",
        "where|for|with|in|of|among|within|having|on|at|during|from|to",
        "其中|当中|中|在|里|对于",
    ),
    ("and", "", "and|&|,", "和|与|跟|及|、|以及"),
    ("and", "or", "or", "或|或者"),
    (
        "negation",
        "",
        "not|no|without|except|excluding|exclude|non|never|nor|neither|isn't|don't|doesn't|remove|"
        "drop|ignore|ignoring",
        "不|没有|除了|排除|去掉|非|除",
    ),
    (
        "stop",
        "",
        "the|a|an|is|are|was|were|be|been|do|does|did|has|have|had|there|me|my|i|you|can|could|"
        "would|will|please|give|show|tell|find|get|calculate|compute|what is|what are|what was|let|"
        "us|it|its|their|this|that|these|those|as|value|values|data|dataset|data set|dataframe|"
        "frame|table|file|csv|column|all|any|some|them|they|report|list|print|display|return|using|"
        "use|want|need|know|would like|like|much|just|now|also|then|so|here|loaded|load|read|open|"
        "recorded|measured|observed|found|seen|took|place|rounded|round|answer|decade|overall|"
        "integer|as an integer|whole number|make|create|compute|over all|over all years|"
        "across all years|level|amount|quickly|"
        "briefly|help|your|our|we|up|out|about|if|exist|exists|occur|occurs|happen|happened|"
        "reached|level of|how|by how much",
        "的|了|是多少|是什么|为多少|请问|请|帮我|帮忙|我|你|吗|呢|吧|啊|一下|给出|计算|算一下|算出|"
        "求|显示|告诉|数据集|数据|表格|表|列|值|这个|这些|那个|有|都|最|多大|多高|如何|怎么样|怎样|"
        "怎么|之间|看|给|用|把|所有|全部|整体|总体|情况|是否|存在|哪里|里面|文件|读取|加载|中的|它|"
        "其|并|个|只|名|位|之|一|变化|进行|做|来|上|下|名字|名称|说明|具体|是",
    ),
)


def _phrases() -> dict[tuple[str, ...], tuple[str, str]]:
    """The phrases as they stand, then their stems: "columns" asks for the shape, "column" does not."""
    said = [(phrase.split(), (kind, value)) for kind, value, text, _ in _TABLE for phrase in text.split("|")]
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for words, meaning in said:
        found.setdefault(tuple(words), meaning)
    for words, meaning in said:
        found.setdefault(tuple(map(stem, words)), meaning)
    return found


def _chinese() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for kind, value, _, chinese in _TABLE:
        for word in filter(None, chinese.split("|")):
            found.setdefault(word, (kind, value))
    return found


PHRASES = _phrases()
"""English phrases, also as stems, and what they mean."""

CHINESE = _chinese()
"""Chinese words, and what they mean."""

LONGEST_PHRASE = max(map(len, PHRASES))
